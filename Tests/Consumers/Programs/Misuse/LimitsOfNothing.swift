// A dispatcher that lets nothing through stops the program with a sentence.
import UVPromises

enum LimitsOfNothing: Program {
  static func main() throws {
    let dispatcher = ConcurrencyLimitedDispatcher(limit: 0)
    dispatcher.dispatch { print("never") }
  }
}

// Stops:
// a concurrency limit must be at least 1
