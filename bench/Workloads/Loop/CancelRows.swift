import BenchHarness
import UV
import UVFutures
import UVPromises

/// A task that waits for an operation.
typealias PendingTask = UV.LoopTask<Void, UVError>

/// An operation that stays pending until it is cancelled, in each style.
protocol PendingOperation: SendableMetatype {
  associatedtype Value
  associatedtype Events: LoopPublisher where Events.Failure == UVError

  /// Makes what all operations of a run share, before the window opens.
  init(_ task: LoopTask, on loop: EventLoop) throws

  /// Its completion says `endCancelled`. The type writes it, and not the rows, which would have to convert
  /// it. It holds one object, as a timer of a server holds its connection.
  func start(_ operations: LoopOperations) -> PendingRequest
  func promise() -> Promise<Value>
  func publisher() -> Events
  func spawn() -> PendingTask

  /// Whether the task that was spawned last has begun to wait. It does so in its first part unless it says
  /// otherwise.
  var hasBegun: Bool { get }
  /// Whether it takes far less than a microsecond to begin and to cancel it.
  static var isSampled: Bool { get }

  /// Releases what they share.
  func end()
}

extension PendingOperation {
  var hasBegun: Bool { true }
  static var isSampled: Bool { true }
}

/// The rows of a workload that begins an operation and cancels it. What a style does for that is written here
/// once.
enum CancelRows<Pending: PendingOperation> {
  /// A row for each style.
  static var all: [(style: Style, run: LoopRow)] {
    [(.callback, callback), (.promise, promise), (.future, future), (.async, async)]
  }

  private static var callback: LoopRow {
    row { _, pending, operations in
      operations.issue = {
        if operations.beginNext() { pending.start(operations).cancel() }
      }
      operations.issue?()
    }
  }

  private static var promise: LoopRow {
    row { _, pending, operations in
      func next() {
        guard let operation = operations.next() else { return }
        let promise = pending.promise()
        promise.catch(policy: .allErrors) { error in
          operations.end(operation, error.isCancelled ? 1 : 0)
          next()
        }
        promise.cancel()
      }
      next()
    }
  }

  /// A subscriber isn't notified that it has cancelled its subscription. So the next operation begins in a
  /// microtask, as the completions of the other styles do.
  private static var future: LoopRow {
    row { loop, pending, operations in
      func next() {
        guard let operation = operations.next() else { return }
        pending.publisher()
          .sink(receiveCompletion: operations.check, receiveValue: { _ in operations.end(operation, 0) })
          .cancel()
        operations.end(operation, 1)
        loop.queueMicrotask(next)
      }
      next()
    }
  }

  private static var async: LoopRow {
    row { loop, pending, operations in
      operations.cancelTasks(on: loop, pending.spawn) { pending.hasBegun }
    }
  }

  private static func row(
    _ body: @escaping @Sendable (EventLoop, Pending, LoopOperations) -> Void
  ) -> LoopRow {
    { task in
      try EventLoop.runCallbacks { loop in
        let pending = try Pending(task, on: loop)
        let before = loop.statistics
        let operations = LoopOperations(task, on: loop)
        operations.isSampled = Pending.isSampled
        operations.atEnd = {
          operations.issue = nil
          operations.settle(on: loop, as: before, tries: 10_000) { pending.end() }
        }
        body(loop, pending, operations)
        return operations
      }.report()
    }
  }
}

extension LoopOperations {
  /// Ends the operation under way, which was to be cancelled while it was pending.
  func endCancelled<Value>(_ result: Result<Value, UVError>) {
    if case .failure(let error) = result, error.isCancelled {
      end(underWay, 1)
    } else {
      end(underWay, 0)
    }
    issue?()
  }

  /// Cancels one task after the other, once it has begun to wait.
  fileprivate func cancelTasks(
    on loop: EventLoop, _ spawn: @escaping () -> PendingTask, _ hasBegun: @escaping () -> Bool
  ) {
    loop.spawn {
      while self.beginNext() {
        let task = spawn()
        repeat { await Task.yield() } while !hasBegun()
        task.cancel()
        do throws(UVError) { self.endCancelled(.success(try await task.value)) } catch {
          // A task that was cancelled before it waited for something says so.
          if error.operation == "await" { return self.fail(error) }
          self.endCancelled(Result<Void, UVError>.failure(error))
        }
      }
    }
  }

  /// Waits until only what was there before is left, and fails if that doesn't come about. A handle takes a
  /// turn to close, and a thread of the pool ends what it has begun.
  fileprivate func settle(
    on loop: EventLoop, as before: LoopStatistics, tries: Int, _ end: @escaping () -> Void
  ) {
    let now = loop.statistics
    let isSettled =
      (now.handles, now.requests, now.timers, now.tasks)
      == (before.handles, before.requests, before.timers, before.tasks)
    if isSettled || tries == 0 {
      if !isSettled { fail(WrongWork("what was cancelled has left something: \(now), not \(before)")) }
      return end()
    }
    loop.sleep(for: .milliseconds(1)) { [self] _ in settle(on: loop, as: before, tries: tries - 1, end) }
  }
}
