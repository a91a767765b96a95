// A task that is cancelled cancels what it waits for; its value is what its body threw.
import UV

enum CancellingTasks: Program {
  static func main() throws {
    EventLoop.run { loop in
      let task = loop.spawn { () async throws(UVError) -> String in
        try await loop.sleep(for: .seconds(3600)).value
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
        loop.spawn { try? await loop.sleep(for: .seconds(3600)).value },
        loop.spawn { try await loop.sleep(for: .seconds(3600)).value },
      ]
      tasks.forEach { $0.cancel() }
    }
    print("ended")
  }
}

// Prints:
// true
// true
// sleep: operation canceled (ECANCELED)
// ended
