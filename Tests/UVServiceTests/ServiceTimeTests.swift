#if Everything
import InMemoryLogging
import ServiceLifecycle
import Testing
import UV
import UVService
import UVTestSupport

/// How much time a service gives to its connections and tasks: what is left of its limit, and none once it is cancelled.
@Suite(.serialized) struct ServiceTimeTests {
  enum Kind: CaseIterable, Sendable { case loop, group }

  /// When the service's task is cancelled.
  enum Moment: CaseIterable, Sendable { case serving, shuttingDown, hurried }

  private static let limit = Duration.seconds(1000)

  /// A service whose connections stay open until they are cut off.
  private static func service(
    _ kind: Kind, _ logger: Logger, _ address: AsyncStream<SocketAddress>.Continuation,
    _ arrival: AsyncStream<Void>.Continuation, _ notice: AsyncStream<Void>.Continuation
  ) throws -> any Service {
    let serve: nonisolated(nonsending) @Sendable (TCPConnection) async -> Void = { connection in
      arrival.yield()
      do throws(UVError) {
        try await connection.quiescing().value
        notice.yield()
        _ = try await connection.next().value
      } catch { #expect(error.code == .cancelled) }
    }
    switch kind {
    case .loop:
      return EventLoopService(shutdownWithin: limit, logger: logger) { loop in
        let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
        address.yield(try listener.localAddress())
        for try await connection in listener { loop.spawn { await serve(connection) } }
      }
    case .group:
      return EventLoopGroupService(try EventLoopGroup(count: 2), shutdownWithin: limit, logger: logger) {
        group in
        address.yield(try await group.serve(host: "127.0.0.1", port: 0) { await serve($0) })
      }
    }
  }

  @Test(arguments: Kind.allCases, Moment.allCases)
  func `A service that is cancelled cuts its connections off, also amid its graceful shutdown`(
    kind: Kind, moment: Moment
  ) async throws {
    let handler = InMemoryLogHandler()
    let logger = Logger(label: "test") { _ in handler }
    let (addresses, address) = AsyncStream.makeStream(of: SocketAddress.self)
    let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    let (notices, notice) = AsyncStream.makeStream(of: Void.self)
    let services = ServiceGroup(
      services: [try Self.service(kind, logger, address, arrival, notice)], logger: logger)
    let running = Task { try await services.run() }
    let peer = await addresses.first { _ in true }!
    try await withLoop { loop in
      let client = try await loop.tcp.connect(to: peer).value
      await arrivals.first { _ in true }
      if moment != .serving {
        await services.triggerGracefulShutdown()
        if moment == .shuttingDown { await notices.first { _ in true } }
      }
      running.cancel()
      // Otherwise it has its thousand seconds.
      do throws(UVError) {
        #expect(try await client.next().timeout(after: .seconds(20)).value == nil)
      } catch { #expect(error.code == .connectionReset) }
      client.close()
    }
    _ = try? await running.value
    if kind == .group {
      let cutOff = handler.entries.filter { "\($0.message)" == "connections were cut off" }
      #expect(cutOff.map { $0.metadata["count"] } == ["1"])
    }
  }

  @Test(arguments: 0...3)
  func `A task that goes on when the connections have ended has what is left of the limit`(connections: Int)
    async throws
  {
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let (addresses, address) = AsyncStream.makeStream(of: SocketAddress.self)
    let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    let begin = Log<LoopClock.Instant>()
    let service = EventLoopService(shutdownWithin: Self.limit, logger: logger) { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      address.yield(try listener.localAddress())
      var accepted: [TCPConnection] = []
      while accepted.count < connections { accepted.append(try await listener.accept().value) }
      arrival.yield()
      try await loop.until { loop.isShuttingDown }
      let latest = loop.clock.now
      // They end one after the other, some time later.
      for connection in accepted {
        let before = loop.clock.now
        try await loop.until { before.duration(to: loop.clock.now) > .milliseconds(10) }
        connection.close()
      }
      func dates() -> [LoopClock.Instant] {
        let timers = loop.snapshot().timers.entries.filter {
          !$0.keepsLoopRunning && $0.dueIn > .seconds(900)
        }
        return timers.map { loop.now.advanced(by: $0.dueIn) }
      }
      try await loop.until { !dates().isEmpty }
      let end = try #require(dates().first)
      // Times of the loop are whole milliseconds.
      let slack = Duration.milliseconds(3)
      #expect(end <= latest.advanced(by: Self.limit + slack))
      #expect(end.advanced(by: slack) >= begin.values[0].advanced(by: Self.limit))
      #expect(dates().count == 1)
    }
    let services = ServiceGroup(services: [service], logger: logger)
    let running = Task { try await services.run() }
    let peer = await addresses.first { _ in true }!
    try await withLoop { loop in
      var clients: [TCPConnection] = []
      for _ in 0..<connections { clients.append(try await loop.tcp.connect(to: peer).value) }
      await arrivals.first { _ in true }
      begin.append(.now)
      await services.triggerGracefulShutdown()
      try await running.value
      for client in clients { client.close() }
    }
  }
}
#endif
