// Counts of what a loop has done, where libuv counts it: since version 1.45.
import UV

enum WhatALoopHasDone: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let before = loop.metrics
      for _ in 0..<5 { try await loop.sleep(for: .milliseconds(1)).value }
      guard let before, let after = loop.metrics else { return print("five turns or more") }
      let turns = after.turns - before.turns
      let wait = after.eventsWaiting <= after.events
      print(turns >= 5 && wait ? "five turns or more" : "only \(turns)")
    }
  }
}

// Prints:
// five turns or more
