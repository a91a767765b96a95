// Ticks that only the `for` statement knows are iterated.
import UV

enum TicksAsATemporary: Program {
  static func main() throws {
    try EventLoop.run { loop in
      var last = -1
      var count = 0
      for try await tick in loop.ticks(every: .milliseconds(5)) {
        // One that came late is counted as missed.
        print(tick.index == last + tick.missed + 1)
        last = tick.index
        count += 1
        if count == 4 { break }
      }
    }
    print("ended")
  }
}

// Prints:
// true
// true
// true
// true
// ended
