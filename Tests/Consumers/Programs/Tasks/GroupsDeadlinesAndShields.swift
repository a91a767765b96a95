// Tasks that belong together, a deadline over several steps, and a goodbye that a cancelled task finishes.
import UV

private struct Lost: Error {}

private final class Session {
  var lines: [String] = []

  func serve(_ loop: EventLoop) async throws {
    do { try await loop.sleep(for: .seconds(1000)).value } catch {
      try await loop.withShield {
        try await loop.sleep(for: .milliseconds(1)).value
        self.lines.append("goodbye")
      }
      throw error
    }
  }
}

enum GroupsDeadlinesAndShields: Program {
  static func main() throws {
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
      let waiting = loop.spawn { () async throws(UVError) in try await loop.sleep(for: .seconds(1000)).value }
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
// ["42", "goodbye", "lost"]
// true
// 3
// true
// true true
