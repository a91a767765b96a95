// A thread without a loop says when it works, and the main queue is asked whether it is blocked.
import Dispatch
import Foundation
import StallWatch
import Synchronization

private let isTold = Atomic<Bool>(false)

private func computeUntilTold() -> Int {
  let start = ContinuousClock.now
  var number = 1
  while !isTold.load(ordering: .acquiring), start.duration(to: .now) < .seconds(1) {
    for _ in 0..<10_000 { number = number &* 31 &+ 7 }
  }
  return number
}

enum AnyThreadThatStalls: Program {
  static func main() throws {
    let report: @Sendable (Stall) -> Void = { stall in
      guard stall.function != nil else { return }
      // The thread goes on once it is told: what it prints comes second.
      if !isTold.load(ordering: .acquiring) {
        print(stall.name, stall.duration >= .milliseconds(20))
        isTold.store(true, ordering: .releasing)
      }
    }
    let watcher = try StallWatcher("the job's thread", longerThan: .milliseconds(20), report)
    while !isTold.load(ordering: .acquiring) {
      watcher.begin()
      _ = computeUntilTold()
      watcher.end()
    }
    watcher.stop()
    print(watcher.count >= 1)

    // A queue that runs everything on the main thread is asked; it answers in time here.
    let asked = try StallWatcher("the main queue", longerThan: .seconds(1000)) { ask in
      DispatchQueue.main.async { ask() }
    } handler: {
      print($0)
    }
    RunLoop.main.run(until: .now + 0.01)
    asked.stop()

    do throws(StallWatchError) {
      _ = try StallWatcher("too short", longerThan: .zero) { _ in }
    } catch {
      let refusal: StallWatchError = error
      switch refusal {
      case .limit(let limit): print("refused:", limit)
      case .system(let number): print("the system:", number)
      }
    }
  }
}

// Prints:
// the job's thread true
// true
// refused: 0.0 seconds
