import NIOCore
import NIOPosix
import NIOSSL
import PeerContract

/// The echo with a channel handler.
enum HandlerEcho {
  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// `tls-handshake`: bytes until the connection ends.
    private var missing: Int

    init(_ size: Int) { missing = size }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      missing -= unwrapInboundIn(data).readableBytes
      context.write(data, promise: nil)
      if missing == 0 {
        context.flush()
        context.close(promise: nil)
      }
    }
    func channelReadComplete(context: ChannelHandlerContext) { context.flush() }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }

  static func prepare(_ contract: Contract) throws -> @Sendable (any Channel) -> EventLoopFuture<Void> {
    let tls = try contract.tls()
    let size = contract.visitSize
    return { channel in
      channel.eventLoop.makeCompletedFuture {
        if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
        try channel.pipeline.syncOperations.addHandler(Handler(size))
      }
    }
  }

  static func serve(on loop: any EventLoop, _ contract: Contract) throws {
    serveUntilInputEnds(
      try bootstrap(loop).childChannelInitializer(prepare(contract)).bind(host: "127.0.0.1", port: 0).wait())
  }

  static func bootstrap(_ loop: any EventLoop) -> ServerBootstrap {
    ServerBootstrap(group: loop)
      .serverChannelOption(.backlog, value: 1024)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
  }

  static func serveUntilInputEnds(_ channel: any Channel) {
    Contract.say("\(channel.localAddress?.port ?? 0)")
    while readLine() != nil {}
  }
}

/// The echo with `NIOAsyncChannel`.
enum AsyncEcho {
  typealias Connection = NIOAsyncChannel<ByteBuffer, ByteBuffer>

  /// Serves the connections of the listener that `listen` makes with a function that prepares each.
  static func serve(
    _ contract: Contract, executor: (any TaskExecutor)?,
    listen:
      @escaping @Sendable (@escaping @Sendable (any Channel) -> EventLoopFuture<Connection>) async throws
      -> NIOAsyncChannel<Connection, Never>
  ) throws {
    let tls = try contract.tls()
    let size = contract.visitSize
    Task(executorPreference: executor) {
      let server = try await listen { channel in
        channel.eventLoop.makeCompletedFuture {
          if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
          return try Connection(wrappingChannelSynchronously: channel)
        }
      }
      Contract.say("\(server.channel.localAddress?.port ?? 0)")
      try await withThrowingDiscardingTaskGroup { group in
        try await server.executeThenClose { connections in
          for try await connection in connections {
            group.addTask(executorPreference: executor) {
              try? await connection.executeThenClose { inbound, outbound in
                var missing = size
                for try await chunk in inbound {
                  missing -= chunk.readableBytes
                  try await outbound.write(chunk)
                  if missing == 0 { break }
                }
              }
            }
          }
        }
      }
    }
    while readLine() != nil {}
  }
}

extension Contract {
  /// After so many bytes a connection of `tls-handshake` ends; -1 for an echo.
  var visitSize: Int { workload == "tls-handshake" ? size : -1 }

  func tls() throws -> NIOSSLContext? {
    guard let identity else { return nil }
    let configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: try NIOSSLCertificate.fromPEMFile(identity).map { .certificate($0) },
      privateKey: .privateKey(try NIOSSLPrivateKey(file: identity, format: .pem)))
    return try NIOSSLContext(configuration: configuration)
  }
}
