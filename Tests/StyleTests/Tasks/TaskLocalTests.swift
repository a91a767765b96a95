#if Everything
import Testing
import UV
import UVFutures
import UVPromises
import UVTestSupport

/// How far the task-local values of a task go.
@Suite struct TaskLocalTests {
  enum Request {
    @TaskLocal static var name = "none"
  }

  @Test func `Task-local values reach the tasks that a task starts in any style`() async throws {
    try await withLoop { loop in
      var seen: [String] = []
      try await Request.$name.withValue("a") {
        try await loop.sleep(for: .milliseconds(1)).value
        seen.append(Request.name)
        seen.append(await loop.spawn { Request.name }.value)
        try await loop.withTasks { tasks in seen.append(await tasks.spawn { Request.name }.value) }
        seen.append(try await loop.withDeadline(.seconds(9)) { Request.name })
        seen.append(await loop.withShield { Request.name })
        seen.append(try await Promise { Request.name }.async())
        seen.append(await Future { Request.name }.value)
      }
      #expect(seen == Array(repeating: "a", count: 7))
      #expect(Request.name == "none")
    }
  }

  @Test(
    "They end where a callback begins: completions, handlers of promises and publishers, microtasks, and other threads' bodies"
  )
  func callbacks() async throws {
    let log = Log<String>()
    try await withLoop { loop in
      try await Request.$name.withValue("a") {
        loop.sleep(for: .zero).start { _ in log.append("completion \(Request.name)") }
        loop.queueMicrotask { log.append("microtask \(Request.name)") }
        loop.sleep(for: .zero).promise().done { log.append("promise \(Request.name)") }.cauterize()
        Promise.value(1).done { _ in log.append("fulfilled promise \(Request.name)") }.cauterize()
        let sink = loop.sleep(for: .zero).publisher().sink { _ in
        } receiveValue: {
          log.append("publisher \(Request.name)")
        }
        try loop.executor.execute { _ in log.append("executor \(Request.name)") }
        let ticks = loop.ticks(every: .milliseconds(1))
        ticks.start { _ in
          log.append("source \(Request.name)")
          ticks.stop()
        }
        try await loop.until { log.values.count >= 7 }
        sink.cancel()
      }
    }
    #expect(Set(log.values.map { $0.split(separator: " ").last! }) == ["none"])
    #expect(log.values.count == 7)
  }

  @Test func `A callback that needs a task's values takes them along in its closure`() async throws {
    let log = Log<String>()
    try await withLoop { loop in
      await Request.$name.withValue("a") {
        let name = Request.name
        let (values, continuation) = AsyncStream.makeStream(of: Void.self)
        loop.sleep(for: .zero).start { _ in
          Request.$name.withValue(name) { log.append(Request.name) }
          continuation.yield()
        }
        for await _ in values { break }
      }
    }
    #expect(log.values == ["a"])
  }
}
#endif
