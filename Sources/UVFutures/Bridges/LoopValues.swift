#if canImport(Combine) || Futures || Everything
import UV

/// The values of a publisher as an asynchronous sequence, on the publisher's thread.
///
/// Combine's `AsyncPublisher` and `AsyncThrowingPublisher`.
public struct LoopValues<Upstream: Publisher>: AsyncSequence {
  /// The values that are delivered.
  public typealias Element = Upstream.Output
  /// How it may fail.
  public typealias Failure = Upstream.Failure

  private let upstream: Upstream

  init(_ upstream: Upstream) { self.upstream = upstream }

  /// Subscribes, and asks for nothing yet.
  public func makeAsyncIterator() -> AsyncIterator {
    let buffer = LoopValuesBuffer<Element, Failure>()
    let end = Downstream<Element, Failure>(buffer, height: 0) { buffer.receive($0) }
    (buffer.gate?.guarding(end) ?? end).attach(to: upstream)
    return AsyncIterator(hold: LoopValuesHold(buffer))
  }

  /// Iterates over the values; the subscription is cancelled when it is let go.
  ///
  /// Combine's `AsyncPublisher.Iterator`.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let hold: LoopValuesHold<Element, Failure>

    /// Asks the publisher for one value, and waits for it.
    ///
    /// If the task is cancelled, so is the subscription, and this returns nil.
    ///
    /// - Returns: The value, nil at the end.
    /// - Throws: The publisher's error, once; nil follows.
    public mutating func next(isolation: isolated (any Actor)? = #isolation) async throws(Failure) -> Element?
    {
      try await hold.buffer.next(isolation: isolation).get()
    }
  }
}

extension LoopPublisher {
  /// The values as an asynchronous sequence, which asks for one at a time.
  ///
  /// ```swift
  /// for try await count in connection.publisher().map({ $0.count }).values { … }
  /// ```
  ///
  /// It stays on the publisher's thread, and throws the publisher's own failure. If the task is cancelled, the
  /// sequence ends without an error, as Combine's does: `try Task.checkCancellation()` behind the `for` loop
  /// distinguishes that from the publisher's end.
  public var values: LoopValues<Self> { LoopValues(self) }
}

/// Cancels the subscription when the iterator and its copies have gone.
private final class LoopValuesHold<Element, Failure: Error> {
  let buffer: LoopValuesBuffer<Element, Failure>
  init(_ buffer: LoopValuesBuffer<Element, Failure>) { self.buffer = buffer }
  deinit { buffer.cancel() }
}

/// Where the values of a publisher meet the tasks that wait for them. On the loop's thread; where there is no
/// loop, on any, one after the other.
private final class LoopValuesBuffer<Element, Failure: Error> {
  typealias Outcome = Result<Element?, Failure>

  let gate = Gate.unlessOnLoop
  private let executor = EventLoop.current?.executor
  private var link: Link?
  private var demandBeforeLink = 0
  private var waiting = Queue<UnsafeContinuation<UnsafeTransfer<Outcome>, Never>>()
  /// An error that came while nobody waited.
  private var error: Failure?
  private var isOver = false

  func receive(_ signal: Signal<Element, Failure>) -> Subscribers.Demand {
    switch signal {
    case .subscription(let link):
      guard !isOver, self.link == nil else {
        link.cancel()
        break
      }
      self.link = link
      if demandBeforeLink > 0 { link.request(.max(demandBeforeLink)) }
    case .value(let value):
      // A publisher that sends a value before the subscription breaks the rules: waiters get none.
      guard !isOver, link != nil else {
        demandBeforeLink = 0
        answerAll()
        break
      }
      require(!waiting.isEmpty, "API violation: a value that was not asked for")
      waiting.popFirst()?.resume(returning: UnsafeTransfer(.success(value)))
    case .completion(let completion):
      guard !isOver else { break }
      if case .failure(let error) = completion { self.error = error }
      end()
    }
    return .none
  }

  /// The first that waits gets the error, if any; the others nil.
  private func end() {
    isOver = true
    link = nil
    answerAll()
  }

  private func answerAll() {
    for continuation in waiting.takeAll() { continuation.resume(returning: UnsafeTransfer(ending())) }
  }

  private func ending() -> Outcome {
    guard let error else { return .success(nil) }
    self.error = nil
    return .failure(error)
  }

  func next(isolation: isolated (any Actor)?) async -> Outcome {
    if gate == nil {
      // Values that are there at once, again and again, give way to the others on the loop. Each has the
      // operators above run, which cost more than the answer itself.
      if EventLoop.spendOnAnswer(4) { await EventLoop.giveWay() }
      if isOver || Task.isCancelled {
        if !isOver { cancelNow() }
        return ending()
      }
    }
    // Sound: the handler touches the buffer only where its other calls are, and the result goes to one task.
    let transfer = UnsafeTransfer(self)
    return await withTaskCancellationHandler(
      operation: {
        await withUnsafeContinuation(isolation: isolation) { continuation in
          if let gate { gate.run { [self] in wait(continuation) } } else { wait(continuation) }
        }.value
      },
      onCancel: { transfer.value.cancel() }, isolation: isolation)
  }

  private func wait(_ continuation: UnsafeContinuation<UnsafeTransfer<Outcome>, Never>) {
    if isOver { return continuation.resume(returning: UnsafeTransfer(ending())) }
    waiting.append(continuation)
    if let link { link.request(.max(1)) } else { demandBeforeLink += 1 }
  }

  /// Cancels the subscription, from any thread.
  func cancel() {
    if let gate { return gate.run { [self] in cancelNow() } }
    guard let executor, !executor.isOnLoop else { return cancelNow() }
    executor.cancelFromElsewhere { [self] in cancelNow() }
  }

  private func cancelNow() {
    let link = link
    if !isOver { end() }
    link?.cancel()
  }
}
#endif
