/// An event source of your own: you send its elements, and it delivers them to its reader, in every style.
///
/// You make a ``Request`` of your own from a function that starts work. You make a source from two functions:
/// one starts producing and one stops. This source counts seconds, but only while somebody listens:
///
/// ```swift
/// var pending = PendingRequest()
/// func tick(_ seconds: CustomSource<Int>, _ number: Int) {
///   pending = seconds.loop.sleep(for: .seconds(1)) { result in
///     guard case .success = result else { return }
///     seconds.send(number)
///     tick(seconds, number + 1)
///   }
/// }
/// let seconds = CustomSource<Int>(loop, "seconds") { tick($0, 0) } pause: { _ in pending.cancel() }
/// for try await second in seconds.prefix(3) { print(second) }
/// ```
///
/// Nothing that you send is lost. The source keeps elements that nobody has asked for, in order, until
/// somebody asks. A producer that stops in `pause` keeps that queue short.
///
/// While somebody asks, the source keeps itself alive and its loop running, as a listener does. Use it on the
/// loop's thread only; from another thread go through ``LoopExecutor/execute(_:)``.
public final class CustomSource<Element>: ReadableSource<Element>, SourceDriver {
  /// A function that the source calls, with itself as the argument, when readers begin or cease to ask.
  public typealias Handler = (CustomSource<Element>) -> Void

  @usableFromInline let source: WaiterQueue<Element>
  let operation: String
  /// Both are nil after the end, so that what they capture is released.
  private var onResume: Handler?
  private var onPause: Handler?
  // The code that each element runs through is inlined into the module that sends and the one that asks. Only
  // they know the type of the elements: here, each use of it would cost a look-up in the runtime.
  /// Elements that have been sent but not asked for yet.
  @usableFromInline @exclusivity(unchecked) var unasked = Queue<Element>()
  /// How the source ends once the elements before have been asked for; nil while it goes on.
  @usableFromInline @exclusivity(unchecked) private(set) var end: Result<Void, UVError>?
  @usableFromInline @exclusivity(unchecked) var isFlushing = false
  /// Called each time that somebody waits, and all that was sent has been delivered.
  package var didDeliverAll: (() -> Void)?
  @exclusivity(unchecked) private var isResumed = false
  /// How many more microtasks a source waits for readers to ask again, before it pauses.
  @exclusivity(unchecked) private var patience = 0
  @exclusivity(unchecked) private var stay: SourceStay?
  /// Signalled when all that was sent has been delivered; nil until somebody waits for that.
  @usableFromInline @exclusivity(unchecked) private(set) var drained: LoopCondition?

  /// Makes a source, which does nothing until somebody asks for an element.
  ///
  /// - Parameters:
  ///   - loop: The loop on whose thread the source is used.
  ///   - operation: A name for what the source does. It is the ``UVError/operation`` of the source's errors.
  ///   - resume: Called when somebody asks for an element and nobody asked before. Send elements from now on,
  ///     until `pause` is called. This function may send the first ones itself.
  ///   - pause: Called when nobody asks any more, and when the loop is shut down while somebody asks. It
  ///     isn't called when you end the source with ``finish(_:)``.
  public init(
    _ loop: EventLoop, _ operation: String, resume: @escaping Handler, pause: @escaping Handler = { _ in }
  ) {
    onResume = resume
    onPause = pause
    self.operation = operation
    source = WaiterQueue()
    super.init(loop)
    source.driver = self
  }

  /// Makes a channel: a source whose elements come when somebody sends them.
  ///
  /// - Parameters:
  ///   - loop: The loop on whose thread the source is used.
  ///   - operation: A name for what the source does. It is the ``UVError/operation`` of the source's errors.
  public convenience init(_ loop: EventLoop, _ operation: String) {
    self.init(loop, operation, resume: { _ in })
  }

  // MARK: Producing

  /// Sends an element to the reader that asked first. If nobody asks, the source keeps the element. The
  /// reader gets it after this function has returned. Complexity: O(1).
  ///
  /// - Parameter element: The element to send.
  /// - Returns: False if the source has ended; the element is then dropped.
  @inlinable
  @discardableResult
  public func send(_ element: Element) -> Bool {
    loop.assertOnLoop()
    if end != nil { return false }
    unasked.append(element)
    if source.hasDemand { flushLater() }
    return true
  }

  /// How many elements have been sent that nobody has asked for yet. Complexity: O(1).
  public var queuedCount: Int { unasked.count }

  /// Waits until readers have all that was sent. A producer that waits after each element never is more than
  /// one ahead; one that waits when ``queuedCount`` has reached a limit, so many.
  ///
  /// - Returns: A request that ends when nothing is queued. It fails with `cancelled` if the loop ends first.
  public func drain() -> Request<Void> { Request(of: loop) { [self] in drain($0) } }

  /// Waits until readers have all that was sent; see ``drain()``.
  ///
  /// - Parameter done: Called once on the loop's thread, never before this function returns.
  /// - Returns: A way to cancel.
  @discardableResult
  public func drain(_ done: @escaping Completion<Void>) -> PendingRequest {
    loop.requireOnLoop("drain()")
    if unasked.isEmpty {
      loop.complete(done, .write)
      return PendingRequest()
    }
    let drained = drained ?? LoopCondition(loop)
    self.drained = drained
    return drained.wait("drain", done)
  }

  /// Ends the source, once readers have received what you sent before. Only the first call counts.
  ///
  /// - Parameter error: The error that readers receive at the end; nil ends the source without an error.
  public func finish(_ error: UVError? = nil) {
    loop.assertOnLoop()
    if end != nil { return }
    end = error.map { .failure($0) } ?? .success(())
    onResume = nil
    onPause = nil
    didDeliverAll = nil
    flushLater()
  }

  /// Whether somebody asks, and all that was sent has been delivered.
  package var isWaitedFor: Bool { source.hasDemand && unasked.isEmpty }

  @inlinable
  func flushLater() {
    if isFlushing { return }
    isFlushing = true
    loop.queueMicrotask { [self] in
      isFlushing = false
      flush()
    }
  }

  /// Delivers the elements that have been sent, as many as are asked for. A handler may send another one for each
  /// that it gets, so that the turn's budget is paid from.
  @inlinable
  func flush() {
    var hasDelivered = false
    while source.hasDemand, let element = unasked.popFirst() {
      hasDelivered = true
      source.deliver(element)
      if loop.spend(1), !unasked.isEmpty { return flushLater() }
    }
    if isToFlushAgain(hasDelivered, isEmpty: unasked.isEmpty) { flushLater() }
  }

  /// Ends or pauses the source if that is due, when elements have been delivered, or none.
  @usableFromInline
  func isToFlushAgain(_ hasDelivered: Bool, isEmpty: Bool) -> Bool {
    if hasDelivered, isEmpty { drained?.broadcast() }
    if isEmpty, let end {
      stay.take()?.end()
      source.finish(end.error)
      return false
    }
    // Readers that have just been answered get the time to ask again: also a task that awaits a request
    // meanwhile which is answered at once. Its answer and its resumption are two microtasks.
    if hasDelivered {
      patience = 2
    } else if source.hasDemand {
      start()
      return false
    } else {
      patience -= 1
    }
    if patience >= 0 { return true }
    source.pauseIfUnwanted()
    return false
  }

  private func start() {
    if !isResumed, let onResume {
      isResumed = true
      onResume(self)
    }
    if let didDeliverAll, isWaitedFor { didDeliverAll() }
  }

  // MARK: What the core asks for

  func resume() {
    if loop.isClosed { finish(UVError(.loopClosed, operation: operation)) }
    if stay == nil { stay = SourceStay(loop, operation) { [self] in loopEnds() } }
    if unasked.isEmpty, end == nil { start() } else { flushLater() }
  }

  func pause() {
    // This comes last, because `stay` may be what keeps this source alive.
    let stay = stay.take()
    if isResumed {
      isResumed = false
      onPause?(self)
    }
    stay?.end()
  }

  /// Called when the loop ends, after which no element can be delivered.
  private func loopEnds() {
    stay = nil
    pause()
    // Elements that have been sent are dropped, also those of `pause`, and so is an end that hasn't been delivered yet.
    unasked = Queue()
    end = nil
    finish(UVError(.cancelled, operation: operation))
  }

  // MARK: Asking

  override var line: (waiters: WaiterQueue<Element>, driver: any SourceDriver) { (source, self) }

  override var custom: CustomSource<Element>? { self }

  /// The outcome that a task gets without waiting; nil if it has to wait.
  @inlinable
  func outcomeIfReady(for task: inout LoopTaskBase?) -> Result<Element?, UVError>? {
    let isCancelled = loop.findCurrentTask(&task)
    if isCancelled || source.hasEnded || source.hasHandler { return source.outcomeIfReady() }
    // Others may wait, who asked before. If the turn's budget is used up, the task waits, too.
    if unasked.isEmpty || source.hasDemand || loop.spend(1) { return nil }
    let element = unasked.popFirst()
    if unasked.isEmpty { drained?.broadcast() }
    return .success(element)
  }

  @inlinable
  func wait(
    _ continuation: UnsafeContinuation<UnsafeTransfer<Result<Element?, UVError>>, Never>, _ task: LoopTaskBase
  ) {
    if loop.hasUsedUpTurn, source.answerNextTurn(continuation) {
      task.willWait(for: PendingRequest())
    } else {
      task.willWait(for: pending(source.enter(.task(continuation), loop)))
    }
  }

  /// Brings elements for somebody who has entered the line with this number.
  @usableFromInline
  func pending(_ number: UInt) -> PendingRequest {
    source.produce(self)
    return PendingRequest(source as AnyWaiterQueue, generation: number)
  }
}

extension Result where Success == Void {
  fileprivate var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}
