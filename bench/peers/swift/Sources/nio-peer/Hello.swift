import NIOCore
import NIOHTTP1
import NIOPosix
import PeerContract
import UVNIO

/// `http-hello` by NIOHTTP1, on NIOPosix's loop or on libuv's.
enum Hello {
  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let body: ByteBuffer
    private let length: String

    init(_ body: ByteBuffer) {
      self.body = body
      length = "\(body.readableBytes)"
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard case .end = unwrapInboundIn(data) else { return }
      let fields: HTTPHeaders = ["content-type": "text/plain", "content-length": length]
      context.write(
        wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .ok, headers: fields))),
        promise: nil)
      context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
      context.write(wrapOutboundOut(.end(nil)), promise: nil)
    }
    func channelReadComplete(context: ChannelHandlerContext) { context.flush() }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }

  static func prepare(_ contract: Contract) -> @Sendable (any Channel) -> EventLoopFuture<Void> {
    let text = Array("Hello, world!".utf8)
    let body = ByteBuffer(bytes: (0..<contract.size).map { text[$0 % text.count] })
    return { channel in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.configureHTTPServerPipeline()
        try channel.pipeline.syncOperations.addHandler(Handler(body))
      }
    }
  }

  static func serve(on loop: any EventLoop, _ contract: Contract) throws {
    HandlerEcho.serveUntilInputEnds(
      try HandlerEcho.bootstrap(loop).childChannelInitializer(prepare(contract)).bind(
        host: "127.0.0.1", port: 0
      ).wait())
  }
}

/// The same handlers on a libuv loop.
enum OnLibuv {
  static func serve(_ contract: Contract, isAsync: Bool) throws {
    let loop = try UVEventLoopGroup(count: 1).next()
    let bootstrap = UVServerBootstrap(group: loop).serverChannelOption(.backlog, value: 1024)
    if isAsync {
      return try AsyncEcho.serve(contract, executor: (loop as? UVEventLoop)?.taskExecutor) { initialize in
        try await bootstrap.bind(host: "127.0.0.1", port: 0, childChannelInitializer: initialize)
      }
    }
    let prepare =
      contract.workload == "http-hello" ? Hello.prepare(contract) : try HandlerEcho.prepare(contract)
    HandlerEcho.serveUntilInputEnds(
      try bootstrap.childChannelInitializer(prepare).bind(host: "127.0.0.1", port: 0).wait())
  }
}
