// Ticks that only the `for` statement knows are iterated.
import UV

enum TicksAsATemporary: Program {
  static func main() throws {
    try EventLoop.run { loop in
      for try await tick in loop.ticks(every: .milliseconds(5)) {
        print("tick \(tick.index)")
        if tick.index == 3 { break }
      }
    }
    print("ended")
  }
}

// Prints:
// tick 0
// tick 1
// tick 2
// tick 3
// ended
