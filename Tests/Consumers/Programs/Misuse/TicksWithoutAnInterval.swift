// Ticks of less than a millisecond stop the program with a sentence.
import UV

enum TicksWithoutAnInterval: Program {
  static func main() throws {
    EventLoop.runCallbacks { loop in
      loop.ticks(every: .microseconds(1)).start { _ in }
    }
  }
}

// Stops:
// ticks(every:): an interval is a millisecond or more
