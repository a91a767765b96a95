// An HTTP server of SwiftNIO's handlers on libuv: `HTTPServer --port 8080`, `HTTPServer --help`.
//
// The protocols come from swift-nio: HTTP/1.1 with keep-alive and pipelining, answered by a handler, and
// WebSocket at /ws, echoed by a task for each connection. Built with the trait TLS, it takes a certificate,
// and speaks TLS, and HTTP/2 with clients that offer it:
// `swift run --package-path Examples --traits TLS HTTPServer --help`. The loops and sockets are libuv's.
// Nothing here but the names of the group and the bootstrap differs from a server on NIO's own loops.
import ArgumentParser
import Foundation
import NIOCore
import NIOHTTP1
import NIOWebSocket
import UVNIO

@main
struct HTTPServer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Answers HTTP requests, and echoes WebSocket messages.")

  @Option(help: "The address to listen on.") var host = "127.0.0.1"
  @Option(help: "The port to listen on; 0 for any that is free.") var port = 0
  @Option(help: "How many loops, each on a thread of its own.") var loops = 1
  @OptionGroup var limits: LimitOptions

  #if TLS
  @Option(help: "The certificate chain for HTTPS and HTTP/2, a file in PEM form.")
  var tlsCertificate: String?
  @Option(help: "The private key for HTTPS and HTTP/2, a file in PEM form.") var tlsKey: String?
  #endif

  func validate() throws {
    guard 0...65535 ~= port, loops >= 1 else {
      throw ValidationError("--port is 0 to 65535, and --loops is 1 or more.")
    }
    #if TLS
    guard (tlsCertificate == nil) == (tlsKey == nil) else {
      throw ValidationError("--tls-certificate and --tls-key come together.")
    }
    #endif
  }

  func run() async throws {
    let (configure, limits, count) = (try configuration(), limits, ConnectionCount())
    let group = try UVEventLoopGroup(count: loops)
    let server = try await UVServerBootstrap(group: group)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        guard count.add(channel, atMost: limits.maxConnections) else { return channel.close() }
        return channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(ConnectionLimits(limits))
        }.flatMap { configure(channel) }
      }
      .bind(host: host, port: port).get()
    print("listening on \(server.localAddress!.ipAddress!):\(server.localAddress!.port!)")
    fflush(nil)
    try await server.closeFuture.get()
    try await group.shutdownGracefully()
  }

  /// Adds the handlers of a connection.
  private func configuration() throws -> @Sendable (any Channel) -> EventLoopFuture<Void> {
    #if TLS
    if let tlsCertificate, let tlsKey {
      let tls = try TLSConnections(certificate: tlsCertificate, key: tlsKey)
      return { channel in tls.configure(channel, http1: configureHTTP1) }
    }
    #endif
    return configureHTTP1
  }
}

/// Adds the handlers of HTTP/1.1, and of WebSocket once a request asks for it.
@Sendable private func configureHTTP1(_ channel: any Channel) -> EventLoopFuture<Void> {
  channel.eventLoop.makeCompletedFuture {
    let handlers = channel.pipeline.syncOperations
    let webSocket = NIOWebSocketServerUpgrader(
      maxFrameSize: WebSocketEcho.limit,
      shouldUpgrade: { channel, head in
        channel.eventLoop.makeSucceededFuture(head.uri == "/ws" ? HTTPHeaders() : nil)
      },
      upgradePipelineHandler: { channel, _ in
        channel.eventLoop.makeCompletedFuture {
          ConnectionLimits.of(channel)?.requestsEnd()
          try WebSocketEcho.start(on: channel)
        }
      })
    try handlers.configureHTTPServerPipeline(
      withServerUpgrade: (
        upgraders: [webSocket],
        completionHandler: { context in
          // HTTP is over for this connection.
          let pipeline = context.pipeline.syncOperations
          if let requests = try? pipeline.context(handlerType: RequestHandler.self) {
            pipeline.removeHandler(context: requests, promise: nil)
          }
        }
      ))
    try handlers.addHandler(RequestHandler())
  }
}
