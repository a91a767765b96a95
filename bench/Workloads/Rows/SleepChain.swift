import BenchHarness
import CBenchSupport
import UV
import UVFutures
import UVPromises

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
