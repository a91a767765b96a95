// Publishers are delayed, thinned out, grouped by time, and ended when they are silent for too long.
import UV
import UVFutures

enum PublishersInTime: Program {
  static func main() throws {
    try collectByTime()
    try groupsInTime()
    try timeoutsOfPublishers()
  }

  /// Values are delayed, throttled, debounced and collected on a loop; cancelling leaves no timer behind.
  private static func collectByTime() throws {
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

  /// Values are grouped by time, and thinned out.
  private static func groupsInTime() throws {
    var subscriptions: Set<AnyCancellable> = []
    EventLoop.runCallbacks { loop in
      let numbers = PassthroughSubject<Int, Never>()
      numbers.collect(.byTime(loop, .milliseconds(10))).first().sink { print($0) }.store(in: &subscriptions)
      numbers.collect(.byTimeOrCount(loop, .seconds(60), 2)).first().sink { print($0) }
        .store(in: &subscriptions)
      numbers.throttle(for: .seconds(60), scheduler: loop, latest: false).first().sink {
        print("thinned", $0)
      }
      .store(in: &subscriptions)
      for number in 1...3 { numbers.send(number) }
      loop.sleep(for: .milliseconds(50)) { _ in numbers.send(completion: .finished) }
    }
  }

  enum Failure: Error { case silent }

  /// A publisher that is silent for too long is ended by `timeout`, in Combine's form.
  private static func timeoutsOfPublishers() throws {
    var subscriptions: Set<AnyCancellable> = []
    EventLoop.runCallbacks { loop in
      let subject = PassthroughSubject<Int, Failure>()
      subject.timeout(.milliseconds(20), scheduler: loop, customError: { .silent })
        .sink(
          receiveCompletion: { if case .failure(.silent) = $0 { print("silent") } },
          receiveValue: { print($0) }
        )
        .store(in: &subscriptions)
      subject.send(1)
      let quiet = PassthroughSubject<Int, Never>()
      quiet.timeout(.milliseconds(40), scheduler: loop)
        .sink(receiveCompletion: { print("quiet: \($0)") }, receiveValue: { print($0) })
        .store(in: &subscriptions)
      loop.sleep(for: .milliseconds(60)) { _ in print(subscriptions.count) }
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
// thinned 1
// [1, 2]
// [1, 2, 3]
// 1
// silent
// quiet: finished
// 2
