// Values are delayed, throttled, debounced and collected on a loop; cancelling leaves no timer behind.
import UV
import UVFutures

enum CollectByTime: Program {
  static func main() throws {
    EventLoop.runCallbacks { loop in
      let subject = PassthroughSubject<Int, Never>()
      var tokens = [
        subject.delay(for: .milliseconds(1), scheduler: loop).sink { print("delayed", $0) },
        subject.throttle(for: .seconds(1000), scheduler: loop, latest: true).sink { print("throttled", $0) },
        subject.debounce(for: .seconds(1000), scheduler: loop).sink { print("debounced", $0) },
        subject.collect(.byTimeOrCount(loop, .seconds(1000), 2)).sink { print("counted", $0) },
        subject.collect(.byTime(loop, .milliseconds(5))).sink { print("collected", $0) },
      ]
      for value in 1...3 { subject.send(value) }
      loop.sleep(for: .milliseconds(50)) { _ in
        for token in tokens { token.cancel() }
        tokens = []
      }
    }
  }
}

// Prints:
// throttled 3
// counted [1, 2]
// delayed 1
// delayed 2
// delayed 3
// collected [1, 2, 3]
