// Tasks that are cancelled, and what they then leave.
import Dispatch
import UV

private struct Lost: Error {}

private final class Session {
  var lines: [String] = []

  func serve(_ loop: EventLoop) async throws {
    do { try await loop.sleep(for: .untilCancelled).value } catch {
      try await loop.withShield {
        try await loop.sleep(for: .milliseconds(1)).value
        self.lines.append("goodbye")
      }
      throw error
    }
  }
}

enum CancellingTasks: Program {
  static func main() throws {
    try cancellingTasks()
    try cancellingWhatALoopDoesNotAnswer()
    try groupsDeadlinesAndShields()
  }

  /// A task that is cancelled cancels what it waits for; its value is what its body threw.
  private static func cancellingTasks() throws {
    EventLoop.run { loop in
      let task = loop.spawn { () async throws(UVError) -> String in
        try await loop.sleep(for: .untilCancelled).value
        return "slept"
      }
      print(task.resultIfFinished == nil)
      try? await loop.sleep(for: .milliseconds(1)).value
      task.cancel()
      do throws(UVError) {
        print(try await task.value)
      } catch {
        print(error.isCancelled)
      }
      if case .failure(let error)? = task.resultIfFinished { print(error) }

      let tasks: [LoopTaskBase] = [
        loop.spawn { try? await loop.sleep(for: .untilCancelled).value },
        loop.spawn { try await loop.sleep(for: .untilCancelled).value },
      ]
      tasks.forEach { $0.cancel() }
    }
    print("ended")
  }

  /// What a task asks of a loop that is busy ends with the task: by its cancellation, or by a deadline.
  private static func cancellingWhatALoopDoesNotAnswer() throws {
    let group = try EventLoopGroup(count: 2)
    let gate = DispatchSemaphore(value: 0)
    let entered = DispatchSemaphore(value: 0)
    try group.executors[0].execute { _ in
      entered.signal()
      gate.wait()
    }
    entered.wait()
    try EventLoop.run { loop in
      do {
        _ = try await loop.withDeadline(.milliseconds(20)) {
          try await group.executors[0].submit { _ in Optional(1) }
        }
      } catch { print(error) }
      let task = loop.spawn(name: "asking") { () async throws(UVError) in
        try await group.executors[0].submit { _ in print("never") }
      }
      // The tasks have begun by then.
      try await loop.sleep(for: .zero).value
      for entry in loop.snapshot().tasks.entries where entry.name == "asking" {
        print(
          entry.wait?.operation ?? "?", entry.wait?.fileDescriptor == nil,
          entry.description.contains("asking"))
      }
      task.cancel()
      do { try await task.value } catch { print(error) }

      for snapshot in await group.snapshots(limit: 5, within: .milliseconds(20)) {
        print(snapshot.hasAnswered, snapshot.isRunning, snapshot.handles.entries.map(\.description))
      }
      let ending = loop.spawn { await group.shutdownGracefully(within: .zero) }
      try await loop.sleep(for: .zero).value
      ending.cancel()
      print(await ending.value.isComplete)
      gate.signal()
      print(await group.shutdownGracefully(within: .zero).isComplete)
    }
  }

  /// Tasks that belong together, a deadline over several steps, and a goodbye that a cancelled task finishes.
  private static func groupsDeadlinesAndShields() throws {
    try EventLoop.run { loop in
      let session = Session()
      do {
        try await loop.withTasks { tasks in
          tasks.spawn { try await session.serve(loop) }
          let answer = tasks.spawn { 41 + 1 }
          session.lines.append("\(await answer.value)")
          tasks.spawn { throw Lost() }
        }
      } catch is Lost { session.lines.append("lost") }
      print(session.lines)

      let count = try await loop.withTasks { tasks in
        for number in 0..<3 { tasks.spawn { try await loop.sleep(for: .milliseconds(number)).value } }
        tasks.spawn {
          tasks.cancelAll()
          print(tasks.isCancelled)
        }
        return 3
      }
      print(count)

      do {
        try await loop.withDeadline(.milliseconds(5)) {
          while true { try await loop.sleep(for: .milliseconds(1)).value }
        }
      } catch let error as UVError { print(error.code == .timedOut) }

      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let closer = listener.closer
      let task = loop.spawn { for try await _ in listener {} }
      let waiting = loop.spawn { () async throws(UVError) in try await loop.sleep(for: .untilCancelled).value
      }
      let cancellation = waiting.cancellation
      try await loop.work {
        closer.close()
        cancellation.cancel()
      }.value
      try await task.value
      do { try await waiting.value } catch { print(waiting.isCancelled, error.isCancelled) }
    }
  }
}

// Prints:
// true
// true
// sleep: operation canceled (ECANCELED)
// ended
// withDeadline 0.02 seconds: connection timed out (ETIMEDOUT)
// submit true true
// submit: operation canceled (ECANCELED)
// false false []
// true true []
// false
// true
// ["42", "goodbye", "lost"]
// true
// 3
// true
// true true
