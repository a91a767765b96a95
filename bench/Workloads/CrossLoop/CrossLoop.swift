import BenchHarness
import CBenchSupport
import UV
import UVFutures
import UVPromises

extension Workloads {
  /// One operation: a message to a loop on another thread, which answers `bench_mix(seed + i)`. Under way: `in-flight`, `cores`. Checked:
  /// what was answered.
  ///
  /// In C each loop has a queue with a mutex, and an `uv_async_t`. The rows in Swift use `submit(on:)`. The time of both threads counts,
  /// which are placed as in `wakeup`. With `cores=2` it is mostly the way of memory from one processor to the other.
  static let crossLoop = LoopWorkload(
    name: "cross-loop", summary: "a message to a loop on another thread, and its answer",
    revision: 2,
    parameters: [inFlight(1, 1000), cores],
    isSingleThreaded: false,
    // How many messages a loop finds when it is woken depends on timing.
    timing: { _ in Counter.ofWork },
    check: .mixed,
    rows: CrossLoop.rows(beside: "cross-loop"),
    targets: [
      Target(
        "cross-loop", ["in-flight": 1000, "cores": 1],
        bounds: [.callback: 2, .async: 4, .promise: 4, .future: 4],
        reasons: [.callback: message, .async: message, .promise: message, .future: message])
    ])

  private static let message =
    "C makes its messages beforehand; here each is a function, and one for the answer, that are made for it"
}

/// `cross-loop`: a message to a loop on another thread, and its answer.
enum CrossLoop: LoopRows {
  static let callback = Messages.callbacks { messages, task, _ in
    for _ in 0..<task.inFlight { messages.sendNext() }
  }

  static let promise = Messages.callbacks { messages, task, _ in
    for _ in 0..<task.inFlight { messages.promiseNext() }
  }

  static let future = Messages.callbacks { messages, task, _ in
    let operations = messages.operations
    operations.subscription = (0..<task.operations).publisher.setFailureType(to: UVError.self)
      .flatMap(maxPublishers: .max(task.inFlight)) { index in
        let operation = operations.begin(index)
        return messages.send(index).publisher().map { operations.end(operation, $0) }
      }
      .sink(receiveCompletion: operations.check, receiveValue: {})
  }

  static let async = Messages.callbacks { messages, task, loop in
    let operations = messages.operations
    for _ in 0..<task.inFlight {
      loop.spawn {
        do throws(UVError) {
          while let operation = operations.next() {
            operations.end(operation, try await messages.send(operation.index).value)
          }
        } catch { operations.fail(error) }
      }
    }
  }
}

/// Messages to the other loop.
private final class Messages: RowRun {
  let operations: LoopOperations
  private let loop: EventLoop
  private let others: EventLoopGroup
  private let seed: UInt64

  init(_ task: LoopTask, on loop: EventLoop) throws {
    others = try EventLoopGroup(count: 1)
    try others.next().execute { [other = task.otherCPU] _ in bench_pin_thread(other) }
    (self.loop, seed) = (loop, task.seed)
    operations = LoopOperations(task, on: loop)
  }

  func report() throws -> LoopReport { try operations.report() }

  func send(_ index: Int) -> Request<UInt64> {
    let value = seed &+ UInt64(index)
    return others.next().submit(on: loop) { _ in bench_mix(value) }
  }

  /// Begins the next operation; when it ends, the one after it.
  func sendNext() {
    guard let operation = operations.next() else { return }
    send(operation.index).start { [self] result in
      guard let value = operations.value(result) else { return }
      operations.end(operation, value)
      sendNext()
    }
  }

  /// Does the same in promises.
  func promiseNext() {
    guard let operation = operations.next() else { return }
    send(operation.index).promise().done { [self] in
      operations.end(operation, $0)
      promiseNext()
    }.catch { [self] in operations.fail($0) }
  }
}
