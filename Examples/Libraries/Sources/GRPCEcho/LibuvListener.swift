import GRPCNIOTransportHTTP2Posix
import NIOCore
import UVNIO

/// Accepts gRPC's connections on libuv's loops.
struct LibuvListener: HTTP2ServerTransport.ListenerFactory {
  let group: UVEventLoopGroup
  let host: String
  let port: Int

  var eventLoopGroup: any EventLoopGroup { group }

  func makeListeningChannel(
    listenerConfigurator: HTTP2ServerTransport.ListenerConfigurator,
    connectionConfigurator: HTTP2ServerTransport.ConnectionConfigurator
  ) async throws -> NIOAsyncChannel<HTTP2ServerTransport.ConnectionConfigurator.ConnectionChannel, Never> {
    try await UVServerBootstrap(group: group)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelInitializer { listenerConfigurator.configure(channel: $0) }
      .bind(host: host, port: port) { connectionConfigurator.configure(channel: $0, tls: .none) }
  }
}
