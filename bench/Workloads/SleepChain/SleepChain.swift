import BenchHarness
import CBenchSupport
import UV
import UVFutures
import UVPromises

extension Workloads {
  /// One operation: a sleep of `milliseconds`. Under way: 1: the next starts when the last has ended. Checked: how many; none early by the
  /// loop's clock.
  ///
  /// `sleep-chain` of 1 ms shows about 1.1 ms a sleep in C and 2.1 ms in every style, and both are right. `uv_timer_start` counts from the
  /// loop's cached time, in whole milliseconds, so that a timer may end up to 1 ms early: in the chain each is one wait of 1 ms. The styles
  /// never end a sleep early, so one of 1 ms takes up to 2. The time that a style costs is in CPU/op; ops/s says how long its sleeps are. A
  /// note below the table says so.
  static let sleepChain = LoopWorkload(
    name: "sleep-chain", summary: "sleep, one sleep after the other",
    note: "a sleep in C may end up to 1 ms early, one of a style never does: compare CPU/op, not ops/s",
    parameters: [Parameter("milliseconds", 1, in: 0...10_000, help: "the length of a sleep")],
    check: .counted,
    rows: SleepChain.rows(beside: "sleep-chain"))
}

/// `sleep-chain`: one sleep after the other.
enum SleepChain: LoopRows {
  static let callback = LoopOperations.callbacks { operations, task, loop in
    let duration = task.sleepDuration
    func next() {
      guard let sleep = operations.next() else { return }
      let end = loop.now.advanced(by: duration)
      loop.sleep(for: duration) { result in
        guard operations.value(result) != nil else { return }
        operations.end(sleep, loop.now < end ? 0 : 1)
        next()
      }
    }
    next()
  }

  static let promise = LoopOperations.callbacks { operations, task, loop in
    let duration = task.sleepDuration
    func next() {
      guard let sleep = operations.next() else { return }
      let end = loop.now.advanced(by: duration)
      loop.sleep(for: duration).promise().done {
        operations.end(sleep, loop.now < end ? 0 : 1)
        next()
      }.catch { operations.fail($0) }
    }
    next()
  }

  static let future = LoopOperations.callbacks { operations, task, loop in
    let duration = task.sleepDuration
    operations.subscription = (0..<task.operations).publisher.setFailureType(to: UVError.self)
      .flatMap(maxPublishers: .max(1)) { index in
        let sleep = operations.begin(index)
        let end = loop.now.advanced(by: duration)
        return loop.sleep(for: duration).publisher()
          .map { operations.end(sleep, loop.now < end ? 0 : 1) }
      }
      .sink(receiveCompletion: operations.check, receiveValue: {})
  }

  static let async = LoopOperations.task { operations, task, loop in
    let duration = task.sleepDuration
    do throws(UVError) {
      while let sleep = operations.next() {
        let end = loop.now.advanced(by: duration)
        try await loop.sleep(for: duration).value
        operations.end(sleep, loop.now < end ? 0 : 1)
      }
    } catch { operations.fail(error) }
  }
}

extension LoopTask {
  /// How long a sleep is.
  fileprivate var sleepDuration: Duration { .milliseconds(parameters["milliseconds"]) }
}
