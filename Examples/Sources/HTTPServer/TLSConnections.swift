#if TLS
import NIOCore
import NIOHTTP2
import NIOSSL

/// Speaks TLS with clients: HTTP/2 with those that offer it, and HTTP/1.1 with the others.
struct TLSConnections: Sendable {
  private let context: NIOSSLContext

  init(certificate: String, key: String) throws {
    var tls = TLSConfiguration.makeServerConfiguration(
      certificateChain: try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) },
      privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
    tls.applicationProtocols = ["h2", "http/1.1"]
    context = try NIOSSLContext(configuration: tls)
  }

  /// Adds the handlers of a connection. Those of HTTP follow when the client has chosen.
  func configure(
    _ channel: any Channel, http1: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
  ) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
    }.flatMap {
      channel.configureHTTP2SecureUpgrade(
        h2ChannelConfigurator: configureHTTP2, http1ChannelConfigurator: http1)
    }
  }

  /// Each request has a channel of its own, with the same handler as a connection of HTTP/1.1.
  @Sendable private func configureHTTP2(_ channel: any Channel) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      ConnectionLimits.of(channel)?.requestsEnd()
      _ = try channel.pipeline.syncOperations.configureHTTP2Pipeline(
        mode: .server, connectionConfiguration: .init(), streamConfiguration: .init()
      ) { stream in
        stream.eventLoop.makeCompletedFuture {
          try stream.pipeline.syncOperations.addHandlers([
            HTTP2FramePayloadToHTTP1ServerCodec(), RequestHandler(),
          ])
        }
      }
    }
  }
}
#endif
