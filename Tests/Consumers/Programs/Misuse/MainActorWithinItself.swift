// A run in a job of the main actor, whose body awaits the main actor, stops the program with a sentence.
import Dispatch
import UV

enum MainActorWithinItself: Program {
  static func main() throws {
    DispatchQueue.main.async {
      EventLoop.run { _ in await MainActor.run { print("never") } }
    }
    dispatchMain()
  }
}

// Stops:
// awaits the main actor, which waits for this run, because the run was called in one of its jobs
// Task.detached { try EventLoop.run
