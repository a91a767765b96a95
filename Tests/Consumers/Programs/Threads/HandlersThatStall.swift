// Shows tasks on threads that are watched: a part of one that takes too long is reported, and a wait isn't.
import StallWatch
import Synchronization
import UV

enum HandlersThatStall: Program {
  private static let isReported = Atomic(false)

  static func main() throws {
    try EventLoop.run { _ in try await handle() }
  }

  private static func handle() async throws {
    let executor = try WatchedTaskExecutor("handlers", longerThan: .milliseconds(5), threads: 2) { stall in
      if stall.name.hasPrefix("handlers ") { isReported.store(true, ordering: .relaxed) }
    }
    try await withTaskExecutorPreference(executor) {
      try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 1...10 {
          group.addTask {
            try await Task.sleep(for: .milliseconds(1))
            return number
          }
        }
        var sum = 0
        for try await number in group { sum += number }
        print(sum)
      }
      // Blocks its thread until it is told of.
      while !isReported.load(ordering: .relaxed) {}
    }
    print(executor.count >= 1)
    executor.stop()
    do {
      _ = try WatchedTaskExecutor("none", longerThan: .zero) { _ in }
    } catch { print(error) }
  }
}

// Prints:
// 55
// true
// limit(0.0 seconds)
