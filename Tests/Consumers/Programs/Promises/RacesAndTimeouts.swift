// Races, timeouts and delays of promises.
import Dispatch
import UV
import UVPromises

enum RacesAndTimeouts: Program {
  static func main() throws {
    EventLoop.runCallbacks { loop in
      let slow = after(.milliseconds(40)).map { "slow" }
      let fast = after(seconds: 0.001).map { "fast" }
      race(slow, fast).done { print($0) }
      race(
        [loop.sleep(for: .seconds(3600)).promise().map { "never" }, Promise.value("now")],
        cancellingRest: true
      )
      .done { print($0) }.cauterize()
      race(fulfilled: [Promise<String>(error: PMKError.badInput), .value("the one that is fulfilled")])
        .done { print($0) }.cauterize()
      any([Promise<Int>(error: PMKError.badInput), .value(3)]).done { print($0) }.cauterize()
      let hour = loop.sleep(for: .seconds(3600)).promise()
      hour.timeout(after: .milliseconds(60)).catch(policy: .allErrors) {
        print("timed out: \($0.isCancelled)")
      }
      let (never, resolver) = Promise<Void>.pending()
      race(never, timeout(seconds: 0.08)).catch(policy: .allErrors) { error in
        if case PMKError.timedOut = error { print("too late") } else { print(error) }
        resolver.fulfill()
      }
      Promise.value("delayed").delay(.milliseconds(100)).done { print($0) }.cauterize()
      after(DispatchTimeInterval.milliseconds(120)).done { print("after") }
    }
  }
}

// Prints:
// now
// the one that is fulfilled
// 3
// fast
// timed out: false
// too late
// delayed
// after
