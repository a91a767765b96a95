import Testing
import UV
import UVTestSupport

@Suite struct TaskGroupTests {
  private struct Broken: Error, Equatable {}

  @Test func `withTasks returns its body's value once all of its tasks have ended`() async throws {
    try await withLoop { loop in
      var ended: [Int] = []
      let value = try await loop.withTasks { tasks in
        for number in 0..<10 {
          tasks.spawn {
            try await loop.sleep(for: .milliseconds(number)).value
            ended.append(number)
          }
        }
        return "all"
      }
      #expect(value == "all")
      #expect(ended.sorted() == Array(0..<10))
    }
  }

  @Test func `A task of a group may start others, and hand out its value`() async throws {
    try await withLoop { loop in
      let sum = try await loop.withTasks { tasks in
        let outer = tasks.spawn {
          let inner = tasks.spawn { 20 }
          return await inner.value + 1
        }
        return await outer.value * 2
      }
      #expect(sum == 42)
    }
  }

  @Test func `The first error cancels the other tasks and is thrown`() async throws {
    try await withLoop { loop in
      var cancelled = 0
      await #expect(throws: Broken.self) {
        try await loop.withTasks { tasks in
          for _ in 0..<5 {
            tasks.spawn {
              do { try await loop.sleep(for: .untilCancelled).value } catch {
                cancelled += 1
                throw error
              }
            }
          }
          tasks.spawn { throw Broken() }
          try await loop.sleep(for: .untilCancelled).value
        }
      }
      #expect(cancelled == 5)
    }
  }

  @Test func `An error of the body cancels its tasks and is thrown after their end`() async throws {
    try await withLoop { loop in
      var hasEnded = false
      await #expect(throws: Broken.self) {
        try await loop.withTasks { tasks in
          tasks.spawn {
            try? await loop.sleep(for: .untilCancelled).value
            hasEnded = true
          }
          throw Broken()
        }
      }
      #expect(hasEnded)
    }
  }

  @Test("Cancelling the task that waits for a group cancels its tasks", arguments: [false, true])
  func parent(bodyWaits: Bool) async throws {
    try await withLoop { loop in
      var cancelled = 0
      let parent = loop.spawn {
        try await loop.withTasks { tasks in
          for _ in 0..<3 {
            tasks.spawn {
              do { try await loop.sleep(for: .untilCancelled).value } catch {
                cancelled += 1
                throw error
              }
            }
          }
          if bodyWaits { try await loop.sleep(for: .untilCancelled).value }
        }
      }
      try await loop.sleep(for: .milliseconds(1)).value
      parent.cancel()
      await #expect { try await parent.value } throws: { ($0 as? UVError)?.isCancelled == true }
      #expect(cancelled == 3)
    }
  }

  @Test("In a task that is cancelled already, the tasks of a group are cancelled from their start")
  func cancelledBefore() async throws {
    try await withLoop { loop in
      var seen: [Bool] = []
      let parent = loop.spawn {
        try? await loop.sleep(for: .untilCancelled).value
        try await loop.withTasks { tasks in
          tasks.spawn { seen.append(Task.isCancelled) }
          seen.append(Task.isCancelled)
        }
      }
      try await loop.sleep(for: .milliseconds(1)).value
      parent.cancel()
      try await parent.value
      #expect(seen == [true, true])
    }
  }

  @Test func `A task that is cancelled alone does not end its group`() async throws {
    try await withLoop { loop in
      let value = try await loop.withTasks { tasks in
        let task = tasks.spawn { try await loop.sleep(for: .untilCancelled).value }
        tasks.spawn { task.cancel() }
        let other = tasks.spawn {
          try await loop.settle()
          return 5
        }
        return try await other.value
      }
      #expect(value == 5)
    }
  }

  /// How a task of a group ends.
  enum End: CaseIterable {
    case returns, fails, failsByClose, throwsCancellation, isCancelled

    /// The error that its group throws; nil if the others go on.
    var error: String? {
      switch self {
      case .returns, .isCancelled: nil
      case .fails: "Broken"
      case .failsByClose: "ECANCELED"
      case .throwsCancellation: "CancellationError"
      }
    }
  }

  @Test(
    "Each error of a task is its group's, but the one of a task that was cancelled alone",
    arguments: End.allCases,
    [nil, 2] as [Int?])
  func ends(end: End, limit: Int?) async throws {
    try await withStream { loop, near, far in
      func name(_ error: any Error) -> String { (error as? UVError)?.name ?? "\(type(of: error))" }
      let log = Log<String>()
      let run: nonisolated(nonsending) () async throws -> Void = {
        switch end {
        case .returns: break
        case .fails: throw Broken()
        case .failsByClose: _ = try await near.next().value
        case .throwsCancellation: throw CancellationError()
        case .isCancelled: try await loop.sleep(for: .untilCancelled).value
        }
      }
      let waits: nonisolated(nonsending) () async throws -> Void = {
        do { try await loop.sleep(for: end.error == nil ? .milliseconds(5) : .untilCancelled).value } catch {
          log.append("other \(name(error))")
          throw error
        }
      }
      func change(_ task: LoopTask<Void, any Error>) {
        loop.sleep(for: .zero) { _ in
          if end == .failsByClose { near.close() }
          if end == .isCancelled { task.cancel() }
        }
      }
      do {
        if let limit {
          try await loop.withTasks(limit: limit) { tasks in
            _ = try await tasks.spawn(waits)
            change(try await tasks.spawn(run))
          }
        } else {
          try await loop.withTasks { tasks in
            _ = tasks.spawn(waits)
            change(tasks.spawn(run))
          }
        }
        log.append("no error")
      } catch { log.append(name(error)) }
      #expect(log.values == (end.error.map { ["other ECANCELED", $0] } ?? ["no error"]))
    }
  }

  @Test func `stop() cancels the tasks of a group`() async throws {
    try await withLoop { loop in
      var isCancelled = false
      loop.spawn { loop.stop() }
      _ = try? await loop.withTasks { tasks in
        tasks.spawn {
          do { try await loop.sleep(for: .untilCancelled).value } catch {
            isCancelled = (error as? UVError)?.isCancelled == true
          }
        }
      }
      #expect(isCancelled)
    }
  }

  @Test func `A body that is in time returns its value, and its deadline is forgotten`() async throws {
    try await withLoop { loop in
      let value = try await loop.withDeadline(.seconds(1000)) {
        try await loop.sleep(for: .milliseconds(1)).value
        return 7
      }
      #expect(value == 7)
      #expect(loop.statistics.timers == 0)
    }
  }

  @Test func `A body that is late is cancelled, and timedOut is thrown after its end`() async throws {
    try await withLoop { loop in
      var hasEnded = false
      await #expect {
        try await loop.withDeadline(.milliseconds(2)) {
          defer { hasEnded = true }
          try await loop.sleep(for: .untilCancelled).value
        }
      } throws: { ($0 as? UVError)?.code == .timedOut }
      #expect(hasEnded)
    }
  }

  @Test("Of nested deadlines the earlier counts, and says whose it was", arguments: [true, false])
  func nested(innerIsEarlier: Bool) async throws {
    try await withLoop { loop in
      var innerError: UVError?
      let (inner, outer): (Duration, Duration) =
        innerIsEarlier ? (Duration.milliseconds(2), .seconds(1000)) : (.seconds(1000), .milliseconds(2))
      var outerError: UVError?
      do {
        try await loop.withDeadline(outer) {
          do { try await loop.withDeadline(inner) { try await loop.sleep(for: .untilCancelled).value } } catch
          {
            innerError = error as? UVError
            throw error
          }
        }
      } catch { outerError = error as? UVError }
      #expect(innerError?.code == (innerIsEarlier ? .timedOut : .cancelled))
      #expect(outerError?.code == .timedOut)
    }
  }

  @Test("An error of the body's own, and a cancellation of the caller, are not taken for the deadline")
  func otherErrors() async throws {
    try await withLoop { loop in
      await #expect(throws: Broken.self) { try await loop.withDeadline(.seconds(1000)) { throw Broken() } }
      let caller = loop.spawn {
        try await loop.withDeadline(.seconds(1000)) { try await loop.sleep(for: .untilCancelled).value }
      }
      try await loop.sleep(for: .milliseconds(1)).value
      caller.cancel()
      await #expect { try await caller.value } throws: { ($0 as? UVError)?.isCancelled == true }
    }
  }

  @Test func `A shield lets a cancelled task finish`() async throws {
    try await withLoop { loop in
      var log: [String] = []
      let task = loop.spawn {
        do { try await loop.sleep(for: .untilCancelled).value } catch {
          try await loop.withShield {
            log.append("cancelled: \(Task.isCancelled)")
            try await loop.sleep(for: .milliseconds(1)).value
            log.append("goodbye")
          }
          throw error
        }
      }
      try await loop.sleep(for: .milliseconds(1)).value
      task.cancel()
      _ = try? await task.value
      #expect(log == ["cancelled: false", "goodbye"])
    }
  }

  @Test func `A shield holds while the loop is stopped, and so do groups and deadlines in it`() async throws {
    let log = Log<String>()
    try await withLoop { loop in
      _ = loop.spawn {
        try await loop.withShield {
          loop.stop()
          try await loop.withTasks { tasks in
            tasks.spawn { try await loop.sleep(for: .milliseconds(1)).value }
            try await loop.withDeadline(.seconds(1000)) { try await loop.sleep(for: .milliseconds(1)).value }
          }
          log.append("goodbye")
        }
      }
    }
    #expect(log.values == ["goodbye"])
  }

  @Test func `A shielded body that is under a deadline ends by it`() async throws {
    try await withLoop { loop in
      await #expect {
        try await loop.withShield {
          try await loop.withDeadline(.milliseconds(1)) { try await loop.sleep(for: .untilCancelled).value }
        }
      } throws: { ($0 as? UVError)?.code == .timedOut }
      let value = await loop.withShield { 5 }
      #expect(value == 5)
    }
  }

  @Test("A task is cancelled from another thread by its cancellation, which does not keep it")
  func cancellation() async throws {
    try await withLoop { loop in
      var isCancelled = false
      let task = loop.spawn {
        do { try await loop.sleep(for: .untilCancelled).value } catch {
          isCancelled = (error as? UVError)?.isCancelled == true
        }
      }
      let cancellation = task.cancellation
      try await loop.work { cancellation.cancel() }.value
      await task.value
      #expect(isCancelled)
      cancellation.cancel()
    }
  }

  @Test func `A handle is closed from another thread by its closer, which does not keep it`() async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let closer = listener.closer
      try await loop.work { closer.close() }.value
      for try await _ in listener {}
      #expect(listener.isClosing)
      closer.close()
    }
  }
}
