import NIOCore
import NIOHTTP1
import NIOPosix

/// The server of NIOHTTP1, on NIO's own loop.
enum NIOPeer {
  static func serve() throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let channel = try ServerBootstrap(group: group)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
          try channel.pipeline.syncOperations.addHandler(Reporter())
        }
      }
      .bind(host: "127.0.0.1", port: 0).wait()
    announce(channel.localAddress?.port ?? 0)
    try channel.closeFuture.wait()
  }
}

/// Answers each request with what it was, and closes as the client asks.
private final class Reporter: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private var report = Report("")
  private var keepsAlive = true

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      report = Report(head.method.rawValue, head.uri)
      report.host = head.headers.first(name: "host") ?? ""
      report.fields = Self.fields(head.headers)
      keepsAlive = head.isKeepAlive
    case .body(let bytes): report.body += bytes.readableBytesView
    case .end(let trailers):
      report.trailers = trailers.map(Self.fields) ?? []
      var head = HTTPResponseHead(version: .http1_1, status: report.start.0 == "CONNECT" ? .forbidden : .ok)
      head.headers = ["content-length": "0", "x-report": report.text]
      if !keepsAlive { head.headers.add(name: "connection", value: "close") }
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
      if !keepsAlive { written.assumeIsolated().whenComplete { _ in context.close(promise: nil) } }
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .some(ChannelEvent.inputClosed) = event as? ChannelEvent { context.close(promise: nil) }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  private static func fields(_ headers: HTTPHeaders) -> [(String, [UInt8])] {
    headers.map { ($0.name, Array($0.value.utf8)) }
  }
}
