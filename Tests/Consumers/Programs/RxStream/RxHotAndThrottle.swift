// Hot streams: pushed into, merged, throttled, ended; and a throttle of one's own.
import UV
import UVRxStream

private final class EverySecond: Throttle {
  private var count = 0
  func process(_ work: @escaping () -> Void) {
    count += 1
    if count.isMultiple(of: 2) { work() }
  }
  func finish(_ work: @escaping () -> Void) { work() }
}

enum RxHotAndThrottle: Program {
  enum Failure: Error, Equatable { case wrong }

  static func main() throws {
    EventLoop.runCallbacks { loop in
      let input = HotInput<Int, Failure>()
      input.on { print("on \($0)") }.onError { print("error \($0)") }.onTerminate { _ in print("terminated") }
      input.throttled(EverySecond()).on { print("second \($0)") }
      input.throttled(TimedThrottle(interval: .milliseconds(5))).on { print("last \($0)") }
      input.throttled(PressureThrottle(buffer: 0, limit: 1)).on { print("first \($0)") }
      input.merge(HotInput<Int, Failure>()).on { print("merged \($0)") }
      for number in 1...2 { input.push(number) }
      loop.sleep(for: .milliseconds(30)) { _ in
        input.terminate(withReason: .error(.wrong))
        print(input.termination == .error(.wrong))
        input.push(3)
      }
    }
  }
}

// Prints:
// on 1
// first 1
// merged 1
// on 2
// second 2
// merged 2
// last 2
// terminated
// error wrong
// true
