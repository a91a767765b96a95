import BenchKit
import CBenchSupport
import UV
import UVFutures
import UVPromises

/// `timer-cancel`: start a timer and cancel it.
enum TimerCancel {
  static let callback: LoopRow = { task in
    try measure(task) { loop, operations in
      let length = task.timeout
      func next() {
        guard let timer = operations.next() else { return }
        loop.sleep(for: length) { result in
          operations.endCancelled(timer, result)
          next()
        }.cancel()
      }
      next()
    }
  }

  static let promise: LoopRow = { task in
    try measure(task) { loop, operations in
      let length = task.timeout
      func next() {
        guard let timer = operations.next() else { return }
        let sleep = loop.sleep(for: length).promise()
        sleep.catch(policy: .allErrors) { error in
          operations.end(timer, error.isCancelled ? 1 : 0)
          next()
        }
        sleep.cancel()
      }
      next()
    }
  }

  /// A subscriber isn't told that it has cancelled its subscription. So the next timer starts in a microtask, as the
  /// completions of the other styles do.
  static let future: LoopRow = { task in
    try measure(task) { loop, operations in
      let length = task.timeout
      func next() {
        guard let timer = operations.next() else { return }
        loop.sleep(for: length).publisher()
          .sink(receiveCompletion: operations.check, receiveValue: { operations.end(timer, 0) })
          .cancel()
        operations.end(timer, 1)
        loop.queueMicrotask(next)
      }
      next()
    }
  }

  static let async: LoopRow = { task in
    try measure(task) { loop, operations in
      let length = task.timeout
      loop.spawn {
        while let timer = operations.next() {
          let sleep = loop.spawn { () throws(UVError) in try await loop.sleep(for: length).value }
          // The task begins, and starts its timer.
          await Task.yield()
          sleep.cancel()
          do throws(UVError) { operations.endCancelled(timer, .success(try await sleep.value)) } catch {
            operations.endCancelled(timer, .failure(error))
          }
        }
      }
    }
  }

  /// Runs `body` beside the timers that stand, and checks that only they are left when it is done.
  private static func measure(
    _ task: LoopTask, _ body: (EventLoop, LoopOperations) -> Void
  ) throws -> LoopReport {
    try EventLoop.runCallbacks { loop in
      let standing = (0..<UInt64(task.parameters["standing"])).map { index in
        loop.sleep(for: .milliseconds(bench_standing_delay_ms(index, task.seed))) { _ in }
      }
      let operations = LoopOperations(task, on: loop, isSampled: true)
      operations.atEnd = {
        if loop.activity.timers != standing.count { operations.fail(WrongWork("a cancelled timer is left")) }
        for timer in standing { timer.cancel() }
      }
      body(loop, operations)
      return operations
    }.report()
  }
}

extension LoopOperations {
  /// Ends an operation that was to be cancelled while its timer ran.
  fileprivate func endCancelled(_ operation: Operation, _ result: Result<Void, UVError>) {
    guard case .failure(let error) = result else { return end(operation, 0) }
    end(operation, error.isCancelled && error.operation == "sleep" ? 1 : 0)
  }
}

extension LoopTask {
  /// How long a timer is, or a limit, that isn't reached.
  var timeout: Duration { .milliseconds(Int(BENCH_TIMEOUT_MS)) }
}
