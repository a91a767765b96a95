import NIOCore
import NIOWebSocket
import UVNIO

/// Sends each message of a WebSocket back, and answers pings and the close.
///
/// It is a task with `NIOAsyncChannel`, unlike ``RequestHandler``. The task is on the channel's loop, so that
/// a frame comes and goes without a change of threads.
enum WebSocketEcho {
  typealias Socket = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>

  /// The longest message, in bytes.
  static let limit = 1 << 24
  /// The most frames that a message may come in: each takes memory besides its bytes.
  static let frameLimit = 1 << 17

  /// Takes over a channel, on the thread of its loop.
  static func start(on channel: any Channel) throws {
    // A peer may end what it sends while its frames are still being answered.
    try channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
    // Makes one frame of the frames of a message.
    try channel.pipeline.syncOperations.addHandler(
      NIOWebSocketFrameAggregator(
        minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: frameLimit, maxAccumulatedFrameSize: limit))
    let socket = try Socket(wrappingChannelSynchronously: channel)
    let loop = channel.eventLoop as! UVEventLoop
    // A connection that is lost ends its task, and nobody else needs to know.
    Task(executorPreference: loop.taskExecutor) { try? await echo(socket) }
  }

  private static func echo(_ socket: Socket) async throws {
    try await socket.executeThenClose { frames, output in
      do {
        for try await frame in frames {
          let data = frame.unmaskedData
          if let fault = WebSocketRules.fault(of: frame, data) { return try await close(socket, fault) }
          switch frame.opcode {
          case .ping: try await output.write(WebSocketFrame(fin: true, opcode: .pong, data: data))
          case .pong: break
          case .connectionClose: return try await close(socket, data)
          default: try await output.write(WebSocketFrame(fin: true, opcode: frame.opcode, data: data))
          }
        }
      } catch let error as NIOWebSocketFrameAggregator.Error {
        return try await close(
          socket, error == .accumulatedFrameSizeIsTooLarge ? .messageTooLarge : .protocolError)
      }
      try await socket.channel.close(mode: .output).get()
    }
  }

  private static func close(_ socket: Socket, _ fault: WebSocketErrorCode) async throws {
    try await close(socket, ByteBuffer(integer: UInt16(webSocketErrorCode: fault)))
  }

  /// Closing drops what the system has no room for yet. So this and the end above wait until all has been
  /// sent.
  private static func close(_ socket: Socket, _ data: ByteBuffer) async throws {
    try await socket.channel.writeAndFlush(WebSocketFrame(fin: true, opcode: .connectionClose, data: data))
      .get()
  }
}
