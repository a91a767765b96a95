import NIOCore
import NIOHTTP1

/// Answers each request when it has come completely: a greeting at `/`, and 64 KiB at `/page`.
final class RequestHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private static let greeting = ByteBuffer(string: "Hello, world\n")
  private static let page = ByteBuffer(repeating: UInt8(ascii: "x"), count: 65536)
  private static let missing = ByteBuffer(string: "There is nothing here.\n")

  /// The request whose body comes now.
  private var request: HTTPRequestHead?
  private var limits: ConnectionLimits?

  func handlerAdded(context: ChannelHandlerContext) { limits = ConnectionLimits.of(context.channel) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): request = head
    case .body: break
    case .end:
      limits?.requestEnded()
      if let head = request.take() { answer(head, context) }
    }
  }

  private func answer(_ request: HTTPRequestHead, _ context: ChannelHandlerContext) {
    let (status, body): (HTTPResponseStatus, ByteBuffer) =
      switch request.uri {
      case "/": (.ok, Self.greeting)
      case "/page": (.ok, Self.page)
      default: (.notFound, Self.missing)
      }
    var headers = HTTPHeaders()
    headers.add(name: "content-length", value: "\(body.readableBytes)")
    headers.add(name: "content-type", value: "text/plain")
    let head = HTTPResponseHead(version: request.version, status: status, headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if request.method != .HEAD { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
    // A channel of HTTP/2 is one request, and ends by itself.
    let isKept = request.isKeepAlive || request.version.major > 1
    let channel = context.channel
    context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
      if !isKept { channel.close(promise: nil) }
    }
  }

  /// The connection is lost, or the peer speaks something else. Its handlers have answered that.
  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
