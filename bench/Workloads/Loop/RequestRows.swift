import BenchHarness
import UV
import UVFutures
import UVPromises

/// The rows of a workload whose operation is a request. What a style does with it is written here once, so
/// that such a workload is described by its request alone.
struct RequestRows<Context>: Sendable {
  /// Whether an operation takes less than a microsecond.
  var isSampled = false
  /// Makes what the operations share, on the loop, before the window opens.
  var begin: @Sendable (LoopTask, EventLoop) throws -> Context
  /// The request of an operation, by its number. Its value is what the operation found.
  var request: @Sendable (Context, Int) -> Request<UInt64>
  /// Ends what they share when all is done; throws if something is left over.
  var end: @Sendable (Context) throws -> Void

  /// A row for each style.
  var all: [(style: Style, run: LoopRow)] {
    [(.callback, callback), (.promise, promise), (.future, future), (.async, async)]
  }

  private var callback: LoopRow {
    row { task, _, context, operations in
      let run = RequestRun(request: request, context: context, operations: operations)
      for _ in 0..<task.inFlight { run.issueCallback() }
    }
  }

  private var promise: LoopRow {
    row { task, _, context, operations in
      let run = RequestRun(request: request, context: context, operations: operations)
      for _ in 0..<task.inFlight { run.issuePromise() }
    }
  }

  private var future: LoopRow {
    row { task, _, context, operations in
      operations.subscription = (0..<task.operations).publisher.setFailureType(to: UVError.self)
        .flatMap(maxPublishers: .max(task.inFlight)) { index in
          let operation = operations.begin(index)
          return request(context, index).publisher().map { operations.end(operation, $0) }
        }
        .sink(receiveCompletion: operations.check, receiveValue: {})
    }
  }

  private var async: LoopRow {
    row { task, loop, context, operations in
      for _ in 0..<task.inFlight {
        loop.spawn {
          do throws(UVError) {
            while let operation = operations.next() {
              operations.end(operation, try await request(context, operation.index).value)
            }
          } catch { operations.fail(error) }
        }
      }
    }
  }

  private func row(
    _ body: @escaping @Sendable (LoopTask, EventLoop, Context, LoopOperations) -> Void
  ) -> LoopRow {
    { task in
      try EventLoop.runCallbacks { loop in
        let context = try begin(task, loop)
        let operations = LoopOperations(task, on: loop)
        operations.isSampled = isSampled
        operations.atEnd = { do { try end(context) } catch { operations.fail(error) } }
        body(task, loop, context, operations)
        return operations
      }.report()
    }
  }
}

/// What the operations of a row share. Each captures it alone, so that the row itself counts few references.
private final class RequestRun<Context> {
  private let request: (Context, Int) -> Request<UInt64>
  private let context: Context
  private let operations: LoopOperations

  init(request: @escaping (Context, Int) -> Request<UInt64>, context: Context, operations: LoopOperations) {
    self.request = request
    self.context = context
    self.operations = operations
  }

  /// Begins the next operation; when it ends, the one after it.
  func issueCallback() {
    guard let operation = operations.next() else { return }
    request(context, operation.index).start { [self] result in
      guard let value = operations.value(result) else { return }
      operations.end(operation, value)
      issueCallback()
    }
  }

  /// Does the same in promises.
  func issuePromise() {
    guard let operation = operations.next() else { return }
    request(context, operation.index).promise().done { [self] in
      operations.end(operation, $0)
      issuePromise()
    }.catch { [self] in operations.fail($0) }
  }
}
