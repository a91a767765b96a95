// A loop that is shut down by its own body stops the program with a sentence.
import UV

enum ShutdownInsideARun: Program {
  static func main() throws {
    EventLoop.runCallbacks { loop in loop.sleep(for: .zero) { _ in loop.shutdown() } }
  }
}

// Stops:
// shutdown() inside a running loop; use stop(), which ends the run
