// A function that calls a closure that throws, and then waits on the loop.
import UV

enum HelperThatThrowsBeforeItSleeps: Program {
  struct Refused: Error {}

  static func after(_ loop: EventLoop, _ check: () throws -> Void) async throws {
    try check()
    try await loop.sleep(for: .milliseconds(1)).value
  }

  static func main() throws {
    try EventLoop.run { loop in
      try await after(loop) {}
      print("slept")
      do {
        try await after(loop) { throw Refused() }
      } catch is Refused {
        print("refused")
      }
    }
  }
}

// Prints:
// slept
// refused
