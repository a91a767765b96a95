/// Tasks that belong together, of which only so many run at the same time; see
/// ``EventLoop/withTasks(of:limit:file:line:_:)``. On the loop's thread only.
///
/// The group is a sequence of its tasks' values, in the order in which the tasks end. The sequence ends when
/// no task is left; after that you may start more tasks, and iterate again.
public final class LimitedTaskGroup<Value>: AsyncSequence {
  /// The elements of the sequence are the values of the tasks.
  public typealias Element = Value
  /// The error of a caller that is cancelled while it waits for a value.
  public typealias Failure = UVError

  private let loop: EventLoop
  private let group: LoopTaskGroup
  private let limit: Int
  /// How many tasks run, or are about to.
  private var takenPlaces = 0
  /// The tasks that haven't ended, apart from the body, and whether each has one of the places.
  private var children: [ObjectIdentifier: Bool] = [:]
  /// The waiters for a place.
  private var line = Waiters<Void>()
  private var finished = FinishedValues<Value>()
  /// The waiters for a value.
  private var readers = Waiters<Value?>()

  init(_ loop: EventLoop, _ limit: Int) {
    self.loop = loop
    self.limit = limit
    group = LoopTaskGroup(loop)
  }

  nonisolated(nonsending) func run<T>(
    _ origin: SourcePlace, _ body: nonisolated(nonsending) @escaping (LimitedTaskGroup) async throws -> T
  ) async throws -> T {
    // The group drops this at its end.
    group.whenOneEnds = { [self] in didEnd(ObjectIdentifier($0)) }
    return try await group.run(origin) { _ in try await body(self) }
  }

  // MARK: Starting

  /// Whether the group's tasks have been cancelled. No task starts afterwards.
  public var isCancelled: Bool { group.isCancelled }

  /// Cancels all tasks of the group, the body of `withTasks` included. Their `cancelled` errors are not the
  /// group's.
  public func cancelAll() { group.cancelAll() }

  /// Starts a task in the group, once fewer tasks run than the limit allows. Callers that wait are served in
  /// order. If the task throws, the other tasks of the group are cancelled, and `withTasks` throws the error.
  ///
  /// A task of the group may start others. It doesn't count while it waits here, so the limit holds, and
  /// tasks that start each other don't wait for ever. A piece of code that such a task runs in a deadline or
  /// a group of its own is another task, and doesn't give up its place.
  ///
  /// After `withTasks` has returned, this stops the program with a message.
  ///
  /// - Parameters:
  ///   - name: A name for the task, which distinguishes it from others of the same place in
  ///     ``EventLoop/snapshot(limit:)``, and is its `Task.name`.
  ///   - file: Where this is called, for ``EventLoop/snapshot(limit:)``.
  ///   - line: The line there.
  ///   - body: What to do; it need not be `Sendable`.
  /// - Returns: The task, to cancel it alone or wait for its value.
  /// - Throws: `cancelled` if the caller or the group is cancelled. The task doesn't start then.
  @discardableResult
  public nonisolated(nonsending) func spawn(
    name: String? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ body: nonisolated(nonsending) @escaping () async throws -> Value
  ) async throws(UVError) -> LoopTask<Value, any Error> {
    loop.requireOnLoop("spawn")
    group.willCome()
    defer { didCome() }
    if isCancelled || Task.isCancelled { throw cancellation }
    let caller = loop.currentTask.map { ObjectIdentifier($0) }
    let givesPlaceUp = caller.map { children[$0] == true } ?? false
    if givesPlaceUp, let caller {
      children[caller] = false
      takenPlaces -= 1
    }
    try await waitForPlace()
    if isCancelled {
      takenPlaces -= 1
      throw cancellation
    }
    let task = group.spawn(name: name, file: file, line: line) {
      let value = try await body()
      self.keep(value)
      return value
    }
    // After the end of its loop a task has ended as it begins.
    if task.task.isFinished { takenPlaces -= 1 } else { children[ObjectIdentifier(task.task)] = true }
    if givesPlaceUp, let caller {
      // A caller that has been cancelled meanwhile goes on without a place, so that it can end.
      do throws(UVError) {
        try await waitForPlace()
        children[caller] = true
      } catch {}
    }
    return task
  }

  private var cancellation: UVError { UVError(.cancelled, operation: "spawn") }

  private nonisolated(nonsending) func waitForPlace() async throws(UVError) {
    if takenPlaces < limit, line.isEmpty {
      takenPlaces += 1
      if EventLoop.spendOnAnswer() { await loop.giveWay() }
      return
    }
    try await Request<Void>(of: loop, operation: "spawn") { [self] (done: @escaping Completion<Void>) in
      let number = line.add(done)
      fillPlaces()
      return PendingRequest("spawn") { [self] in
        guard let done = line.take(number) else { return }
        loop.queueMicrotask { [cancellation] in done(.failure(cancellation)) }
      }
    }.value
  }

  /// Gives the free places to the waiters that have waited longest.
  private func fillPlaces() {
    while takenPlaces < limit, let done = line.takeFirst() {
      takenPlaces += 1
      loop.queueMicrotask { done(.success(())) }
    }
  }

  /// A caller has started its task, or won't start any.
  private func didCome() {
    fillPlaces()
    group.didCome()
    answerReaders()
  }

  /// Called when a task of the group ends, the body included.
  private func didEnd(_ task: ObjectIdentifier) {
    if children.removeValue(forKey: task) == true { takenPlaces -= 1 }
    fillPlaces()
    answerReaders()
  }

  // MARK: Values

  /// Asks for the value of the task that ends next; nil if no task is left. Values stay until they are taken,
  /// or until the group ends. Those without content are only counted, so a group of `Void` may run for as
  /// long as its program.
  ///
  /// A task that fails or is cancelled alone has no value. A task of the group can't ask, since it would wait
  /// for itself; this stops the program with a message.
  ///
  /// - Returns: A request for the value. Callers are answered in order.
  ///
  /// The corresponding function of Swift's is `ThrowingTaskGroup.next`.
  public func next() -> Request<Value?> { Request(of: loop) { [self] in next($0) } }

  /// Asks for the value of the task that ends next; see ``next()``.
  ///
  /// - Parameter done: Called once on the loop's thread, never before this function returns.
  /// - Returns: A way to cancel: `done` then receives `cancelled`, and the value goes to the next reader.
  @discardableResult
  public func next(_ done: @escaping Completion<Value?>) -> PendingRequest {
    loop.requireOnLoop("next")
    require(
      loop.currentTask.map { children[ObjectIdentifier($0)] == nil } ?? true,
      "next: a task of the group would wait for itself; ask in the body of `withTasks`")
    let number = readers.add(done)
    answerReaders()
    return PendingRequest("next") { [self] in
      guard let done = readers.take(number) else { return }
      loop.queueMicrotask { done(.failure(UVError(.cancelled, operation: "next"))) }
    }
  }

  /// Iterates over the values of the tasks, in the order in which these end, until no task is left.
  public func makeAsyncIterator() -> Iterator { Iterator(group: self) }

  /// The iterator over a group's values.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let group: LimitedTaskGroup

    /// Waits for the value of the task that ends next; nil if no task is left.
    ///
    /// - Throws: `cancelled` if the calling task is cancelled.
    public nonisolated(nonsending) mutating func next(
      isolation: (any Actor)? = #isolation
    ) async throws(UVError) -> Value? {
      try await group.next().value
    }
  }

  private func keep(_ value: Value) {
    finished.append(value)
    answerReaders()
  }

  private func answerReaders() {
    while !readers.isEmpty, let value = finished.popFirst() {
      guard let done = readers.takeFirst() else { break }
      loop.answer { done(.success(value)) }
    }
    // A reader who is left has found no value.
    guard children.isEmpty, group.comingCount == 0 else { return }
    for done in readers.takeAll() { loop.answer { done(.success(nil)) } }
  }
}

/// The values of tasks that have ended, in order. Values without content are counted.
private struct FinishedValues<Value> {
  private var values = Queue<Value>()
  private var emptyCount = 0

  mutating func append(_ value: Value) {
    if Value.self == Void.self { emptyCount += 1 } else { values.append(value) }
  }

  mutating func popFirst() -> Value? {
    guard emptyCount > 0 else { return values.popFirst() }
    emptyCount -= 1
    return () as? Value
  }
}
