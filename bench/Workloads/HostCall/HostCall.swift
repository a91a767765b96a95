import BenchHarness
import UV
import UVFutures
import UVPromises

extension Workloads {
  /// One operation: one call, answered by what the style starts for it: a microtask, a promise, a future, a task. Under way: 1. Checked:
  /// how many.
  static let hostCall = LoopWorkload(
    name: "host-call", summary: "a call that is answered in the same turn",
    note:
      "C calls a function with a callback; async spawns a task for each call, as an addon does for its host",
    parameters: [],
    check: .counted,
    rows: HostCall.rows(beside: "host-call"))
}

/// `host-call`: a call of the host that is answered in the same turn, by what a style starts for each call.
enum HostCall: LoopRows {
  static let callback = LoopOperations.callbacks { operations, _, loop in
    operations.isSampled = true
    func next() {
      guard let call = operations.next() else { return }
      loop.queueMicrotask {
        operations.end(call, 1)
        next()
      }
    }
    next()
  }

  static let promise = LoopOperations.callbacks { operations, _, _ in
    operations.isSampled = true
    func next() {
      guard let call = operations.next() else { return }
      Guarantee<UInt64> { seal in seal(1) }.done {
        operations.end(call, $0)
        next()
      }
    }
    next()
  }

  static let future = LoopOperations.callbacks { operations, task, _ in
    operations.isSampled = true
    operations.subscription = (0..<task.operations).publisher
      .flatMap(maxPublishers: .max(1)) { index in
        let call = operations.begin(index)
        return Future<UInt64, Never> { promise in promise(.success(1)) }.map { operations.end(call, $0) }
      }
      .sink(receiveCompletion: { _ in }, receiveValue: {})
  }

  static let async = LoopOperations.callbacks { operations, _, loop in
    operations.isSampled = true
    func next() {
      guard let call = operations.next() else { return }
      loop.spawn {
        operations.end(call, 1)
        next()
      }
    }
    next()
  }
}
