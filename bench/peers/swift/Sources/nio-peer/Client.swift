import NIOCore
import NIOPosix
import NIOSSL
import PeerContract

/// A client that writes a line to `port=…`, trusts the file `identity=…`, and prints the line that comes
/// back. The tests of `UVTLS` use it.
enum LineClient {
  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
    private var line = ""

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      line += String(buffer: unwrapInboundIn(data))
      guard line.hasSuffix("\n") else { return }
      Contract.say(String(line.dropLast()))
      context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      Contract.say("\(error)")
      context.close(promise: nil)
    }
  }

  static func run(on loop: any EventLoop, _ contract: Contract) throws {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.trustRoots = .file(contract.identity ?? "")
    let tls = try NIOSSLContext(configuration: configuration)
    let channel = try ClientBootstrap(group: loop)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            NIOSSLClientHandler(context: tls, serverHostname: "localhost"))
          try channel.pipeline.syncOperations.addHandler(Handler())
        }
      }
      .connect(host: "127.0.0.1", port: contract.port).wait()
    try channel.writeAndFlush(ByteBuffer(string: "from SwiftNIO\n")).wait()
    try channel.closeFuture.wait()
  }
}
