#if Everything
import InMemoryLogging
import ServiceLifecycle
import Synchronization
import Testing
import UV
import UVService
import UVTestSupport

/// Loops and groups that a `ServiceGroup` runs.
@Suite struct EventLoopServiceTests {
  private struct Broken: Error {}

  private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  /// Runs a service in a group, and does something meanwhile.
  private static func run(
    _ service: any Service, _ meanwhile: @escaping @Sendable (ServiceGroup) async throws -> Void
  ) async throws {
    let group = ServiceGroup(services: [service], logger: logger)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await group.run() }
      tasks.addTask { try await meanwhile(group) }
      try await tasks.waitForAll()
    }
  }

  @Test("A graceful shutdown closes the listeners, waits for what connections still do, and ends the service")
  func graceful() async throws {
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    let service = EventLoopService(shutdownWithin: .seconds(30), logger: Self.logger) { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      port.yield(Int(try listener.localAddress().port))
      for try await connection in listener {
        loop.spawn {
          do {
            let line = try await connection.readLine(limit: 100).value
            arrival.yield()
            // The answer comes after the end has begun.
            try await connection.quiescing().value
            try await connection.write([line!, "!\n"]).value
          } catch { Issue.record(error) }
        }
      }
    }
    try await Self.run(service) { group in
      let number = await ports.first { _ in true }!
      try await withLoop { loop in
        let client = try await loop.tcp.connect(host: "127.0.0.1", port: number).value
        try await client.write("hello\n").value
        await arrivals.first { _ in true }
        await group.triggerGracefulShutdown()
        #expect(try await client.readLine(limit: 100).value == "hello!")
        #expect(try await client.readLine(limit: 100).value == nil)
      }
    }
  }

  @Test func `What still runs at the time limit is cancelled, and what was cut off is logged`() async throws {
    let handler = InMemoryLogHandler()
    let logger = Logger(label: "test") { _ in handler }
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    let isCancelled = Atomic(false)
    let service = EventLoopService(shutdownWithin: .milliseconds(50), logger: logger) { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      port.yield(Int(try listener.localAddress().port))
      let connection = try await listener.accept().value
      arrival.yield()
      do throws(UVError) { try await loop.sleep(for: .untilCancelled).value } catch {
        isCancelled.store(error.isCancelled, ordering: .relaxed)
      }
      _ = connection
    }
    try await Self.run(service) { group in
      let number = await ports.first { _ in true }!
      try await withLoop { loop in
        let client = try await loop.tcp.connect(host: "127.0.0.1", port: number).value
        await arrivals.first { _ in true }
        await group.triggerGracefulShutdown()
        _ = try? await client.next().value
      }
    }
    let hasBeenCancelled = isCancelled.load(ordering: .relaxed)
    #expect(hasBeenCancelled)
    #expect(
      handler.entries.contains {
        "\($0.message)" == "connections were cut off" && $0.metadata["count"] == "1"
      })
  }

  @Test("The body may ask swift-service-lifecycle itself, since the group's task-local values reach the loop")
  func functionsOfTheGroup() async throws {
    let (starts, start) = AsyncStream.makeStream(of: Void.self)
    let seen = Mutex<[String]>([])
    let service = EventLoopService(logger: Self.logger) { loop in
      let child = loop.spawn {
        start.yield()
        try? await gracefulShutdown()
        seen.withLock { $0.append("notified \(loop.executor.isOnLoop)") }
      }
      await child.value
      seen.withLock { $0.append("ended \(Task.isShuttingDownGracefully)") }
    }
    try await Self.run(service) { group in
      await starts.first { _ in true }
      await group.triggerGracefulShutdown()
    }
    #expect(seen.withLock { $0 } == ["notified true", "ended true"])
  }

  @Test func `Cancelling the service's task cancels the tasks of the loop`() async throws {
    let (starts, start) = AsyncStream.makeStream(of: Void.self)
    let service = EventLoopService(logger: Self.logger) { loop in
      start.yield()
      try await loop.sleep(for: .untilCancelled).value
    }
    let task = Task { try await service.run() }
    await starts.first { _ in true }
    task.cancel()
    let error = await #expect(throws: UVError.self) { try await task.value }
    #expect(error?.isCancelled == true)
  }

  @Test(
    "An error of the body stops its loop and is thrown; without one, the service waits for the rest of the work"
  )
  func ends() async throws {
    await #expect(throws: Broken.self) {
      try await EventLoopService(logger: Self.logger) { loop in
        _ = loop.spawn { try? await loop.sleep(for: .untilCancelled).value }
        throw Broken()
      }.run()
    }
    let log = Log<String>()
    try await EventLoopService(logger: Self.logger) { loop in
      loop.spawn {
        _ = try? await loop.files.stat("/").value
        log.append("rest")
      }
      log.append("body")
    }.run()
    #expect(log.values == ["body", "rest"])
  }

  @Test func `A group of loops serves until it is asked to end, and its connections get time`() async throws {
    let (ports, port) = AsyncStream.makeStream(of: SocketAddress.self)
    let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    let service = EventLoopGroupService(
      try EventLoopGroup(count: 2), shutdownWithin: .seconds(30), logger: Self.logger
    ) { group in
      let address = try await group.serve(host: "127.0.0.1", port: 0) { connection in
        arrival.yield()
        do {
          try await connection.quiescing().value
          try await connection.write("goodbye").value
        } catch { Issue.record(error) }
      }
      port.yield(address)
    }
    try await Self.run(service) { group in
      let address = await ports.first { _ in true }!
      try await withLoop { loop in
        let client = try await loop.tcp.connect(to: address).value
        await arrivals.first { _ in true }
        await group.triggerGracefulShutdown()
        #expect(try await client.next().value == "goodbye")
        #expect(try await client.next().value == nil)
      }
    }
  }

  @Test("A group whose start fails ends, and its error is thrown; one whose task is cancelled gives no time")
  func groupEnds() async throws {
    await #expect(throws: Broken.self) {
      try await EventLoopGroupService(try EventLoopGroup(count: 1), logger: Self.logger) { _ in throw Broken()
      }.run()
    }
    let (starts, start) = AsyncStream.makeStream(of: Void.self)
    let service = EventLoopGroupService(
      try EventLoopGroup(count: 1), shutdownWithin: .seconds(1000), logger: Self.logger
    ) { _ in start.yield() }
    let task = Task { try await service.run() }
    await starts.first { _ in true }
    task.cancel()
    try await task.value
  }
}
#endif
