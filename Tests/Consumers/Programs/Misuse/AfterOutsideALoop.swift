// A promise that waits, made outside any loop, stops the program with a sentence.
import UV
import UVPromises

enum AfterOutsideALoop: Program {
  static func main() throws {
    after(seconds: 1).done { print("never") }
  }
}

// Stops:
// after(_:) needs an event loop on its thread: call it inside EventLoop.run
