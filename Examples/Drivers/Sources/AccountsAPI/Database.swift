import Logging
import NIOCore
import PostgresNIO
import UV
import UVNIO

/// A connection of PostgresNIO's, which a pool lends.
final class Database: PoolResource {
  private static let logger = Logger(label: "database")
  private let loop: UV.EventLoop
  private let connection: PostgresConnection
  private var becameUseless: Completion<Void>?

  private init(_ loop: UV.EventLoop, _ connection: PostgresConnection) {
    (self.loop, self.connection) = (loop, connection)
    // Once for its whole life: a future keeps each callback until then.
    connection.closeFuture.assumeIsolated().whenComplete { [weak self] _ in
      self?.becameUseless?(.success(()))
    }
  }

  static func pool(_ loop: UV.EventLoop, socket: String, user: String, database: String) -> Pool<Database> {
    var limits = PoolLimits()
    limits.resources = 8
    limits.wait = .seconds(1)
    return Pool(loop, limits: limits) {
      let channel = try await UVClientBootstrap(group: loop.nio).connect(unixDomainSocketPath: socket).get()
      var configuration = PostgresConnection.Configuration(
        establishedChannel: channel, username: user, password: nil, database: database)
      // The server, too, ends what nobody waits for any more.
      configuration.options.additionalStartupParameters = [("statement_timeout", "3000")]
      let connection = try await PostgresConnection.connect(
        on: loop.nio, configuration: configuration, id: 1, logger: logger)
      return Database(loop, connection)
    }
  }

  var isReusable: Bool { !connection.isClosed }

  func idling(_ done: @escaping Completion<Void>) -> PendingRequest {
    becameUseless = done
    return PendingRequest { [self] in becameUseless = nil }
  }

  func close() -> Request<Void> {
    let end: EventLoopFuture<Void> = connection.close()
    return Request(loop) { [loop] done in
      end.assumeIsolated().whenComplete { _ in loop.queueMicrotask { done(.success(())) } }
      return PendingRequest()
    }
  }

  /// All rows of a query's answer.
  ///
  /// A query has no end of its own when its task is cancelled. The connection's end is one. A query that comes after that
  /// would never be answered.
  func rows(_ query: PostgresQuery) async throws -> [PostgresRow] {
    try Task.checkCancellation()
    if connection.isClosed { throw ChannelError.ioOnClosedChannel }
    let connection = connection
    do {
      return try await withTaskCancellationHandler {
        try await connection.query(query, logger: Self.logger).collect()
      } onCancel: {
        let _: EventLoopFuture<Void> = connection.close()
      }
    } catch {
      try Task.checkCancellation()
      throw error
    }
  }

  /// Runs `body` in a transaction, which is rolled back if it throws. If the connection has ended, the server has done
  /// that.
  func transaction<T>(_ body: (Database) async throws -> T) async throws -> T {
    _ = try await rows("BEGIN")
    do {
      let value = try await body(self)
      _ = try await rows("COMMIT")
      return value
    } catch {
      _ = try? await rows("ROLLBACK")
      throw error
    }
  }
}
