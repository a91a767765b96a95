// A task that is spawned on a loop that was shut down does not begin, and stops nothing.
import UV

enum SpawnAfterTheEnd: Program {
  static func main() throws {
    let loop = try EventLoop()
    loop.shutdown()
    let task = loop.spawn { print("never") }
    print(task.resultIfFinished == nil)
  }
}

// Prints:
// true
