// A task that is spawned on a loop that was shut down stops the program with a sentence.
import UV

enum SpawnAfterTheEnd: Program {
  static func main() throws {
    let loop = try EventLoop()
    loop.shutdown()
    loop.spawn { print("never") }
  }
}

// Stops:
// spawn: the event loop has been shut down; create a new one
