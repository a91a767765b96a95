// Tasks of which only so many run at the same time, and their values in the order in which they end.
import UV

enum LimitedTasks: Program {
  static func main() throws {
    try EventLoop.run { loop in
      var (running, most) = (0, 0)
      try await loop.withTasks(limit: 3) { tasks in
        for _ in 0..<10 {
          try await tasks.spawn {
            running += 1
            most = max(most, running)
            try await loop.sleep(for: .milliseconds(1)).value
            running -= 1
          }
        }
      }
      print("at most", most, "at the same time")

      let total = try await loop.withTasks(of: Int.self, limit: 2) { tasks in
        // A task of the group may start others, also if there is no place at the moment.
        try await tasks.spawn(name: "first") {
          try await tasks.spawn { 20 }
          try await tasks.spawn { 21 }
          return 1
        }
        var total = 0
        for try await value in tasks { total += value }
        print(try await tasks.next().value == nil)
        return total
      }
      print(total)

      try await loop.withTasks(of: String.self) { tasks in
        try await tasks.spawn { "by a callback" }
        let pending = tasks.next { result in
          if case .success(let text?) = result { print(text) }
        }
        _ = pending
        var values = tasks.makeAsyncIterator()
        print(try await values.next() ?? "no other")
        tasks.cancelAll()
        do { try await tasks.spawn { "too late" } } catch { print(error, tasks.isCancelled) }
      }

      do { try await loop.withTasks(limit: 0) { _ in } } catch { print(error) }
    }
  }
}

// Prints:
// at most 3 at the same time
// true
// 42
// by a callback
// no other
// spawn: operation canceled (ECANCELED) true
// withTasks a limit of 0: invalid argument (EINVAL)
