import NIOCore
import NIOWebSocket

/// Sends each message back, frame by frame, and answers pings and the close.
final class WebSocketEcho: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  private var isClosing = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    switch frame.opcode {
    case .text, .binary, .continuation: send(frame.opcode, frame, context)
    case .ping: send(.pong, frame, context)
    case .connectionClose:
      if isClosing { return context.close(promise: nil) }
      isClosing = true
      let channel = context.channel
      send(.connectionClose, frame, context).whenComplete { _ in channel.close(promise: nil) }
    default: break
    }
  }

  @discardableResult
  private func send(
    _ opcode: WebSocketOpcode, _ frame: WebSocketFrame, _ context: ChannelHandlerContext
  ) -> EventLoopFuture<Void> {
    context.writeAndFlush(
      wrapOutboundOut(WebSocketFrame(fin: frame.fin, opcode: opcode, data: frame.unmaskedData)))
  }
}
