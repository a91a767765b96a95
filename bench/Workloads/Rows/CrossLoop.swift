import BenchHarness
import CBenchSupport
import UV
import UVFutures
import UVPromises

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
