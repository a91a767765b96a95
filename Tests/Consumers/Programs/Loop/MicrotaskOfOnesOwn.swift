// Microtasks run before timers, in the order in which they were queued; an object of one's own may be one.
import UV

private final class Greeting: Microtask {
  let name: String
  init(_ name: String) { self.name = name }
  override func run() { print("hello, \(name)") }
}

enum MicrotaskOfOnesOwn: Program {
  static func main() throws {
    EventLoop.runCallbacks { loop in
      loop.sleep(for: .zero) { _ in print("timer") }
      loop.queueMicrotask {
        print("first")
        loop.queueMicrotask { print("third") }
      }
      loop.enqueue(Greeting("world"))
      loop.queueMicrotask { print("second") }
      print("body")
    }
  }
}

// Prints:
// body
// first
// hello, world
// second
// third
// timer
