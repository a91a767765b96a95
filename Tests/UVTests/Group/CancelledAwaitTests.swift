import Dispatch
import Synchronization
import Testing
import UV
import UVTestSupport

/// Every asynchronous function of a group and of an executor ends when its task is cancelled, whatever the
/// loops do.
@Suite struct CancelledAwaitTests {
  /// A group whose loops are in a callback that doesn't return before `free()`.
  private final class BlockedGroup: Sendable {
    let group: EventLoopGroup
    private let gate = DispatchSemaphore(value: 0)

    init(count: Int = 2, blocked: Int = 2) throws {
      group = try EventLoopGroup(count: count)
      let gate = gate
      let entered = DispatchSemaphore(value: 0)
      for executor in group.executors.prefix(blocked) {
        try executor.execute { _ in
          entered.signal()
          gate.wait()
        }
      }
      for _ in 0..<blocked { entered.wait() }
    }

    func free() { for _ in group.executors { gate.signal() } }

    deinit { free() }
  }

  /// Each function, and whether it throws `cancelled`.
  private static let functions:
    [(name: String, throwsCancelled: Bool, call: @Sendable (EventLoopGroup) async throws -> Void)] = [
      ("submit", true, { try await $0.executors[0].submit { _ in } }),
      ("run", true, { try await $0.executors[0].run { _ in } }),
      ("snapshots", false, { _ = await $0.snapshots(within: .seconds(1000)) }),
      ("printSnapshots", true, { try await $0.printSnapshots(on: .user1) }),
      ("lag", false, { _ = await $0.lag() }),
      ("resetLag", false, { await $0.resetLag() }),
      ("serve", true, { try await $0.serve(host: "127.0.0.1", port: 0) { _ in } }),
      ("listen", true, { try await $0.listen(host: "127.0.0.1", port: 0, balance: .roundRobin) { _ in } }),
      ("clock.sleep", true, { try await $0.executors[0].submit { $0.clock }.sleep(for: .untilCancelled) }),
      ("shutdownGracefully", false, { _ = await $0.shutdownGracefully(within: .seconds(1000)) }),
    ]

  @Test(
    "A function whose task is cancelled while the loops don't answer ends", arguments: functions.map(\.name))
  func ends(name: String) async throws {
    let function = try #require(Self.functions.first { $0.name == name })
    try await withLoop { loop in
      let blocked = try BlockedGroup()
      // By a task of a loop, by one that the loop didn't start, and by a task that has been cancelled before.
      for how in ["loop", "detached", "before"] {
        let outcome: Result<Void, any Error>
        if how == "detached" {
          let task = Task.detached { try await function.call(blocked.group) }
          task.cancel()
          outcome = await task.result
        } else {
          let task = loop.spawn { try await function.call(blocked.group) }
          if how == "loop" { while !loop.hasWaitingTask { await Task.yield() } }
          task.cancel()
          outcome = await Result { try await task.value }
        }
        switch outcome {
        case .success: #expect(!function.throwsCancelled, "\(how)")
        case .failure(let error):
          #expect(function.throwsCancelled, "\(how): \(error)")
          #expect((error as? UVError)?.code == .cancelled || error is CancellationError, "\(how): \(error)")
        }
      }
      blocked.free()
      _ = await blocked.group.shutdownGracefully(within: .zero)
    }
  }

  @Test func `A body that hasn't begun when its task is cancelled never runs`() async throws {
    try await withLoop { loop in
      let blocked = try BlockedGroup()
      let ran = RunFlag()
      let task = loop.spawn { try await blocked.group.executors[0].submit { _ in ran.set() } }
      while !loop.hasWaitingTask { await Task.yield() }
      task.cancel()
      await #expect(throws: UVError(.cancelled, operation: "submit")) { try await task.value }
      blocked.free()
      // It comes after the other.
      try await blocked.group.executors[0].submit { _ in }
      #expect(!ran.isSet)
      _ = await blocked.group.shutdownGracefully(within: .zero)
    }
  }

  @Test func `A body that has begun runs to its end, and its value is dropped`() async throws {
    try await withLoop { loop in
      let group = try EventLoopGroup(count: 1)
      let gate = DispatchSemaphore(value: 0)
      let (begun, ended) = (RunFlag(), RunFlag())
      let task = loop.spawn {
        try await group.executors[0].submit { _ in
          begun.set()
          gate.wait()
          ended.set()
          return 42
        }
      }
      while !begun.isSet { await Task.yield() }
      task.cancel()
      await #expect(throws: UVError(.cancelled, operation: "submit")) { try await task.value }
      #expect(!ended.isSet)
      gate.signal()
      try await group.executors[0].submit { _ in }
      #expect(ended.isSet)
      _ = await group.shutdownGracefully(within: .zero)
    }
  }

  @Test("A deadline around a submit ends it; so does the cancellation of the task whose child submits")
  func deadlineAndChild() async throws {
    try await withLoop { loop in
      let blocked = try BlockedGroup()
      let executor = blocked.group.executors[0]
      await #expect(throws: UVError.self) {
        do {
          try await loop.withDeadline(.milliseconds(1)) { try await executor.submit { _ in } }
        } catch let error as UVError {
          #expect(error.code == .timedOut)
          throw error
        }
      }
      let parent = loop.spawn {
        try await withThrowingTaskGroup(of: Int?.self) { children in
          children.addTask { try await executor.submit { _ in nil } }
          _ = try await children.next()
        }
      }
      await Task.yield()
      parent.cancel()
      await #expect(throws: UVError(.cancelled, operation: "submit")) { try await parent.value }
      blocked.free()
      _ = await blocked.group.shutdownGracefully(within: .zero)
    }
  }

  @Test func `Snapshots of a group have those of the loops that answer, and mark the others`() async throws {
    try await withLoop { _ in
      let blocked = try BlockedGroup(count: 2, blocked: 1)
      try await blocked.group.executors[1].submit { $0.name = "free" }
      // On a busy machine the free loop may take longer than that once, and the other never answers.
      var snapshots: [LoopSnapshot] = []
      repeat {
        snapshots = await blocked.group.snapshots(within: .milliseconds(50))
      } while snapshots.count == 2 && !snapshots[1].hasAnswered
      #expect(snapshots.count == 2)
      #expect(snapshots.map(\.hasAnswered) == [false, true])
      #expect(snapshots[1].name == "free" && snapshots[1].isRunning)
      #expect(snapshots[0].name.hasPrefix("loop ") && !snapshots[0].isRunning)
      #expect(snapshots[0].description == "\(snapshots[0].name): hasn't answered")
      blocked.free()
      #expect(await blocked.group.snapshots().allSatisfy(\.hasAnswered))
      _ = await blocked.group.shutdownGracefully(within: .zero)
      #expect(await blocked.group.snapshots().isEmpty)
    }
  }

  @Test(
    "A task that is cancelled while a group begins to listen leaves no listener", arguments: [false, true])
  func noListener(isRoundRobin: Bool) async throws {
    try await withLoop { loop in
      let blocked = try BlockedGroup()
      let task = loop.spawn {
        try await blocked.group.serve(
          host: "127.0.0.1", port: 0, balance: isRoundRobin ? .roundRobin : .system
        ) { _ in }
      }
      while !loop.hasWaitingTask { await Task.yield() }
      task.cancel()
      await #expect(throws: UVError.self) { try await task.value }
      blocked.free()
      for executor in blocked.group.executors {
        #expect(try await executor.submit { $0.statistics.handles } == 0)
      }
      _ = await blocked.group.shutdownGracefully(within: .zero)
    }
  }

  @Test(
    "A group ends although the task that waits for it is cancelled; the report says that it isn't complete")
  func shutdown() async throws {
    try await withLoop { loop in
      let blocked = try BlockedGroup()
      let task = loop.spawn { await blocked.group.shutdownGracefully(within: .zero) }
      while !loop.hasWaitingTask { await Task.yield() }
      task.cancel()
      #expect(await task.value == ShutdownReport(isComplete: false))
      blocked.free()
      #expect(await blocked.group.shutdownGracefully(within: .zero).isComplete)
    }
  }

  // MARK: What is named

  private static let requests:
    [(name: String, request: @Sendable (EventLoop, TCPConnection) -> Request<Void>)] =
      [
        ("read", { _, connection in connection.next().map { _ in } }),
        ("read", { _, connection in connection.next().timeout(after: .seconds(1)).map { _ in } }),
        ("read", { _, connection in connection.read(exactly: 3).map { _ in } }),
        ("write", { _, connection in connection.write("x").map { _ in } }),
        ("drain", { _, connection in connection.drain() }),
        ("stat", { loop, _ in loop.files.stat("/").map { _ in } }),
        ("sleep", { loop, _ in loop.sleep(for: .untilCancelled) }),
        ("work", { loop, _ in loop.work { 1 }.map { _ in } }),
        ("resolve", { loop, _ in loop.dns.resolve("localhost").map { _ in } }),
        ("mine", { loop, _ in mine(loop).timeout(after: .seconds(1)) }),
        ("other", { loop, _ in Request(loop, operation: "other") { _ in PendingRequest() } }),
      ]

  private static func mine(_ loop: EventLoop) -> Request<Void> {
    Request(loop) { (_: @escaping Completion<Void>) in PendingRequest() }
  }

  @Test("The error of a cancelled task names what it awaited, although that isn't started")
  func names() async throws {
    try await withPair { loop, _, server in
      for (name, request) in Self.requests {
        let task = loop.spawn { () async throws(UVError) in try await request(loop, server).value }
        task.cancel()
        await #expect(throws: UVError(.cancelled, operation: name)) { try await task.value }
      }
    }
  }
}

/// A flag that is set once, on any thread.
private final class RunFlag: Sendable {
  private let flag = Atomic(false)
  var isSet: Bool { flag.load(ordering: .acquiring) }
  func set() { flag.store(true, ordering: .releasing) }
}

extension EventLoop {
  /// Whether another task than the one that asks waits for something that the loop knows.
  fileprivate var hasWaitingTask: Bool {
    snapshot().tasks.entries.contains { $0.state != .running && $0.state != .ready && $0.age >= .zero }
  }
}

extension Result where Failure == any Error {
  fileprivate init(_ body: nonisolated(nonsending) () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
