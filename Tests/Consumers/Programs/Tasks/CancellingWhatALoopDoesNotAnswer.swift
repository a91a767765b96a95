// What a task asks of a loop that is busy ends with the task: by its cancellation, or by a deadline.
import Dispatch
import UV

enum CancellingWhatALoopDoesNotAnswer: Program {
  static func main() throws {
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
      try await loop.sleep(for: .milliseconds(5)).value
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
      try await loop.sleep(for: .milliseconds(5)).value
      ending.cancel()
      print(await ending.value.isComplete)
      gate.signal()
      print(await group.shutdownGracefully(within: .zero).isComplete)
    }
  }
}

// Prints:
// withDeadline 0.02 seconds: connection timed out (ETIMEDOUT)
// submit true true
// submit: operation canceled (ECANCELED)
// false false []
// true true []
// false
// true
