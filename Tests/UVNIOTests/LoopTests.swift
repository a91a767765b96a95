#if Everything
import NIOCore
import Synchronization
import Testing
import UV
import UVNIO
import UVTestSupport

@Suite(.serialized) struct LoopTests {
  @Test("Tasks from one thread run in their order, on the loop's thread")
  func order() async throws {
    let log = Log<Int>()
    try await withGroup { group in
      let loop = group.next()
      for number in 0..<1000 { loop.execute { log.append(loop.inEventLoop ? number : -1) } }
      try loop.submit {}.wait()
    }
    #expect(log.values == Array(0..<1000))
  }

  @Test(
    "Scheduled tasks run by their deadlines to the nanosecond, and equal ones in the order of their calls")
  func scheduledOrder() async throws {
    let log = Log<Int>()
    try await withGroup { group in
      let loop = group.next()
      let start = NIODeadline.now() + .milliseconds(5)
      let last = try loop.submit {
        for number in (0..<100).reversed() {
          loop.scheduleTask(deadline: start + .nanoseconds(Int64(number / 2))) { log.append(number) }
        }
        return loop.scheduleTask(deadline: start + .milliseconds(1)) {}
      }.wait()
      try last.futureResult.wait()
    }
    // Of two with equal deadlines, the odd one was scheduled first.
    let expected: [Int] = (0..<50).flatMap { [2 * $0 + 1, 2 * $0] }
    #expect(log.values == expected)
  }

  @Test("A cancelled task doesn't run, from whichever thread it is cancelled, and its future says so")
  func cancelling() async throws {
    try await withGroup { group in
      let loop = group.next()
      let later = loop.scheduleTask(in: .hours(1)) { Issue.record("a cancelled task has run") }
      later.cancel()
      #expect(throws: EventLoopError.cancelled) { try later.futureResult.wait() }
      // One that is due together with the task that cancels it.
      try loop.submit {
        let now = NIODeadline.now()
        let box = NIOLoopBoundBox<Scheduled<Void>?>(nil, eventLoop: loop)
        loop.scheduleTask(deadline: now) { box.value?.cancel() }
        box.value = loop.scheduleTask(deadline: now) { Issue.record("a cancelled task has run") }
      }.wait()
      try loop.scheduleTask(in: .milliseconds(1)) {}.futureResult.wait()
    }
  }

  @Test("Callbacks are called in the order of their times, or notified that they are cancelled")
  func callbacks() async throws {
    final class Handler: NIOScheduledCallbackHandler, Sendable {
      let log: Log<String>
      let name: String
      init(_ log: Log<String>, _ name: String) { (self.log, self.name) = (log, name) }
      func handleScheduledCallback(eventLoop: some NIOCore.EventLoop) { log.append(name) }
      func didCancelScheduledCallback(eventLoop: some NIOCore.EventLoop) { log.append("not \(name)") }
    }
    let log = Log<String>()
    try await withGroup { group in
      let loop = group.next()
      let never = try loop.scheduleCallback(in: .hours(1), handler: Handler(log, "c"))
      _ = try loop.scheduleCallback(in: .milliseconds(2), handler: Handler(log, "b"))
      _ = try loop.scheduleCallback(in: .milliseconds(1), handler: Handler(log, "a"))
      never.cancel()
      never.cancel()
      try loop.scheduleTask(in: .milliseconds(10)) {}.futureResult.wait()
      _ = try loop.scheduleCallback(in: .hours(1), handler: Handler(log, "d"))
      try loop.submit {}.wait()
    }
    #expect(log.values == ["not c", "a", "b", "not d"])
  }

  @Test("A group that has ended refuses work, and has failed what was scheduled")
  func ending() async throws {
    try await withThread {
      let group = try UVEventLoopGroup(count: 2)
      let loops = Array(group.makeIterator())
      #expect(loops.count == 2)
      let never = loops[0].scheduleTask(in: .hours(1)) {}
      let server = try serve(group) { [Echo()] }
      try group.syncShutdownGracefully()
      try group.syncShutdownGracefully()
      try server.closeFuture.wait()
      #expect(throws: EventLoopError.shutdown) { try never.futureResult.wait() }
      #expect(throws: EventLoopError.shutdown) { try loops[1].submit {}.wait() }
      #expect(throws: EventLoopError.shutdown) {
        try loops[0].scheduleTask(in: .hours(1)) {}.futureResult.wait()
      }
      #expect(throws: EventLoopError.shutdown) { try serve(group) { [] } }
    }
  }

  @Test("Work is spread over the loops of a group, each on a thread of its own")
  func spreading() async throws {
    try await withGroup(3) { group in
      let loops = (0..<6).map { _ in group.next() }
      #expect(Set(loops.map { ObjectIdentifier($0) }).count == 3)
      #expect(loops[0] === loops[3])
      let (isOwn, isOther) = try loops[1].submit { (group.any() === loops[1], loops[2].inEventLoop) }.wait()
      #expect(isOwn && !isOther)
    }
  }

  @Test("An actor and a task on the loop's executor run on its thread")
  func executors() async throws {
    let group = try UVEventLoopGroup(count: 1)
    let loop = group.next()
    actor OnLoop {
      let loop: any NIOCore.EventLoop
      nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }
      init(_ loop: any NIOCore.EventLoop) { self.loop = loop }
      func isThere() -> Bool { loop.inEventLoop }
    }
    #expect(await OnLoop(loop).isThere())
    let executor = (loop as! UVEventLoop).taskExecutor
    #expect(await Task(executorPreference: executor) { loop.inEventLoop }.value)
    try await group.shutdownGracefully()
  }

  @Test("A task on a loop's task executor has no job for a function that it calls and that doesn't wait")
  func jobsOfATask() async throws {
    let group = try UVEventLoopGroup(count: 1)
    let loop = group.next() as! UVEventLoop
    @concurrent func step() async -> Bool { loop.inEventLoop }
    let jobs = await Task(executorPreference: loop.taskExecutor) {
      let before = UV.EventLoop.current?.statistics.jobsFromLoop
      for _ in 0..<100 where await !step() { Issue.record("on another thread") }
      return (before, UV.EventLoop.current?.statistics.jobsFromLoop)
    }.value
    #expect(jobs.0 != nil)
    #expect(jobs.0 == jobs.1)
    try await group.shutdownGracefully()
  }

  @Test("A count below one is refused")
  func refusal() { #expect(throws: UVError.self) { try UVEventLoopGroup(count: 0) } }

  @Test("A loop of swift-uv's serves NIO channels too, and runs until they are closed")
  func onALoop() async throws {
    try await withLoop { loop in
      #expect(loop.nio === loop.nio)
      #expect(loop.nio.inEventLoop)
      let server = try await UVServerBootstrap(group: loop.nio)
        .childChannelInitializer { $0.pipeline.addHandler(Echo()) }
        .bind(host: "127.0.0.1", port: 0).get()
      let connection = try await loop.tcp.connect(host: "127.0.0.1", port: server.localAddress!.port!).value
      try await connection.write("hello").value
      #expect(try await connection.read(exactly: 5).value == "hello")
      try await connection.close().value
      try await server.close()
      try await loop.nio.shutdownGracefully()
    }
  }

  @Test("A loop that ends closes the NIO channels that are still open")
  func endOfALoop() async throws {
    let log = Log<String>()
    try await withThread {
      try UV.EventLoop.run { loop in
        let server = try await UVServerBootstrap(group: loop.nio)
          .serverChannelInitializer { $0.pipeline.addHandler(Events(log)) }
          .bind(host: "127.0.0.1", port: 0).get()
        server.closeFuture.whenComplete { _ in log.append("closed") }
        loop.stop()
      }
    }
    #expect(log.values == ["registered", "active", "inactive", "unregistered", "closed"])
  }
}
#endif
