// The loop is a scheduler: it schedules actions itself, and receives what comes from a queue.
import Dispatch
import UV
import UVFutures

enum SchedulerOfTheLoop: Program {
  static func main() throws {
    var subscriptions: Set<AnyCancellable> = []
    EventLoop.runCallbacks { loop in
      loop.schedule { print("now") }
      loop.schedule(after: loop.now.advanced(by: .milliseconds(5))) { print("later") }
      var count = 0
      var repeating: (any Cancellable)?
      repeating = loop.schedule(after: loop.now.advanced(by: .milliseconds(10)), interval: .milliseconds(2)) {
        count += 1
        guard count == 3 else { return }
        repeating?.cancel()
        print("three times")
      }
      print(loop.minimumTolerance == .milliseconds(1))
      let stride: EventLoop.SchedulerTimeType.Stride = 2
      print(stride == .seconds(2.0), stride.duration, stride.magnitude, stride > .microseconds(5))
      let later: EventLoop.SchedulerTimeType = loop.now.advanced(by: .nanoseconds(7))
      print(
        later.distance(to: later.advanced(by: 1.5)) == .milliseconds(1500),
        later.instant > LoopClock.Instant(nanoseconds: 7))

      let executor = loop.executor
      Just(20).setFailureType(to: Never.self)
        .delay(for: .milliseconds(30), scheduler: loop)
        .receive(on: loop)
        .map { number in "\(number) \(executor.isOnLoop)" }
        .sink { print($0) }
        .store(in: &subscriptions)
    }
  }
}

// Prints:
// true
// true 2.0 seconds 2000000000 true
// true true
// now
// later
// three times
// 20 true
