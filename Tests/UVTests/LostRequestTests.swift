import Testing
import UV
import UVTestSupport

/// Closures that return a request where nobody waits for one: the compiler warns, and the request is started all the same.
///
/// `Tests/run lost-requests` sees that the compiler warns of each.
@Suite struct LostRequestTests {
  @Test func `A body of run that returns a request has it started`() throws {
    try careless().runs()
  }

  @Test func `A task's closure, a deadline, a shield and a group have the request started`() async throws {
    try await withLoop { loop in try await careless().tasks(loop) }
  }

  @Test func `A request that a closure returns fails as if it were awaited`() async throws {
    try await withLoop { loop in try await careless().fails(loop) }
  }
}

/// What a program shouldn't write. Deprecated, because the compiler warns of it elsewhere.
private protocol Careless {
  func runs() throws
  nonisolated(nonsending) func tasks(_ loop: EventLoop) async throws
  nonisolated(nonsending) func fails(_ loop: EventLoop) async throws
}

private func careless() -> any Careless { CarelessProgram() }

private struct CarelessProgram: Careless {
  @available(*, deprecated)
  func runs() throws {
    let names: [DirectoryEntry] = try EventLoop.run { loop in loop.files.scandir("/") }
    let same: [DirectoryEntry] = try EventLoop.runCallbacks { loop in loop.files.scandir("/") }
    #expect(!names.isEmpty && same.count == names.count)
    let loop = try EventLoop()
    defer { loop.shutdown() }
    let type: FileType = try loop.run { loop in loop.files.stat("/").map(\.type) }
    #expect(type == .directory)
    #expect(throws: UVError.self) { try loop.runCallbacks { loop in loop.files.stat("/no/such/file") } }
  }

  @available(*, deprecated)
  nonisolated(nonsending) func tasks(_ loop: EventLoop) async throws {
    var starts = 0
    let request = Request<Int>(loop) { done in
      starts += 1
      loop.queueMicrotask { done(.success(starts)) }
      return PendingRequest()
    }
    let task = loop.spawn { request }
    #expect(try await task.value == 1)
    #expect(try await loop.withDeadline(.seconds(60)) { request } == 2)
    #expect(try await loop.withShield { request } == 3)
    #expect(try await loop.withTasks { _ in request } == 4)
    #expect(try await loop.withTasks(limit: 1) { _ in request } == 5)
    #expect(try await loop.withTasks(of: Int.self) { _ in request } == 6)
    try await loop.withTasks { tasks in tasks.spawn { request } }
    #expect(starts == 7)
  }

  @available(*, deprecated)
  nonisolated(nonsending) func fails(_ loop: EventLoop) async throws {
    do {
      try await loop.withTasks { tasks in
        tasks.spawn { loop.files.stat("/no/such/file") }
        return
      }
      Issue.record("nothing was thrown")
    } catch { #expect((error as? UVError)?.code == .noSuchFile) }
    do {
      try await loop.withDeadline(.milliseconds(1)) { loop.sleep(for: .untilCancelled) }
      Issue.record("nothing was thrown")
    } catch { #expect((error as? UVError)?.code == .timedOut) }
  }
}
