import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOExtras
import ServiceLifecycle
import UVNIO

/// Serves the requests of a router on libuv's loops. Hummingbird's own `Application` makes its channels by
/// `NIOPosix`.
struct RouterServer: Service {
  let responder: RouterResponder<BasicRequestContext>
  let group: UVEventLoopGroup
  let host: String
  let port: Int
  let logger: Logger

  /// Serves until a graceful shutdown begins and the requests that have begun are answered.
  func run() async throws {
    let http = HTTP1Channel(responder: respond)
    let quiescing = ServerQuiescingHelper(group: group)
    let listener = try await UVServerBootstrap(group: group)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(quiescing.makeServerChannelHandler(channel: channel))
        }
      }
      .bind(host: host, port: port) { http.setup(channel: $0, logger: logger) }
    let address = listener.channel.localAddress!
    print("listening on \(address.ipAddress!):\(address.port!)")
    fflush(nil)

    try await withGracefulShutdownHandler {
      try await listener.executeThenClose { connections in
        try await withThrowingDiscardingTaskGroup { tasks in
          for try await connection in connections {
            // So that no request changes threads.
            let executor = (connection.channel.eventLoop as? UVEventLoop)?.taskExecutor
            tasks.addTask(executorPreference: executor) {
              await http.handle(value: connection, logger: logger)
            }
          }
        }
      }
    } onGracefulShutdown: {
      quiescing.initiateShutdown(promise: nil)
    }
  }

  @Sendable private func respond(
    to request: Request, by writer: consuming ResponseWriter, on channel: any Channel
  ) async throws {
    let context = BasicRequestContext(
      source: ApplicationRequestContextSource(channel: channel, logger: logger))
    let response: Response
    do {
      response = try await responder.respond(to: request, context: context)
    } catch {
      response = Response(status: .internalServerError)
    }
    try await writer.write(response: response.head, body: response.body)
  }
}
