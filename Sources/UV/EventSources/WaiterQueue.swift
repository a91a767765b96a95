import CUV

/// The part of a source that differs between a listener, a connection and a timer: how it produces.
protocol SourceDriver: AnyObject {
  var loop: EventLoop { get }
  /// The name of the source's operation, by libuv, for the errors that end it.
  var operation: String { get }
  /// Called when somebody asks and nobody asked before. From now on the source delivers or finishes.
  func resume()
  /// Called when nobody asks any more.
  func pause()
  /// Called when somebody has been cancelled, and has left the line.
  func left(_ number: UInt)
  /// The wish of somebody in the line, in words, if it isn't simply the next element.
  func wish(of number: UInt) -> String?
}

extension SourceDriver {
  func left(_ number: UInt) {}
  func wish(of number: UInt) -> String? { nil }
}

/// The waiters for elements of any type. A pending request keeps its line as one of these: naming the type of the
/// elements would cost a look-up in the runtime.
@usableFromInline
class AnyWaiterQueue: Cancelling {
  func cancel(slot: UInt, generation: UInt) {}

  func awaited(slot: UInt, generation: UInt) -> Awaited? { nil }
}

/// The part that all event sources share: who waits, in which style, and how the end is delivered.
///
/// Everything here happens on the loop's thread. At any time there is either a handler or a queue of waiters.
/// A handler stands where the first waiter does, and stays there.
///
/// The code that each element runs through is inlined into the modules that send and ask, which know its type.
@usableFromInline
final class WaiterQueue<Element>: AnyWaiterQueue {
  @usableFromInline typealias Outcome = Result<Element?, UVError>

  @usableFromInline
  enum Waiter {
    case callback(Completion<Element?>)
    case receiver(_ElementReceiver<Element>)
    // Sound: the result of a task's `next` is made and taken on the loop's thread.
    case task(UnsafeContinuation<UnsafeTransfer<Outcome>, Never>)

    @inlinable
    func resume(_ outcome: Outcome) {
      switch self {
      case .callback(let done): done(outcome)
      case .receiver(let receiver): receiver.receive(outcome)
      case .task(let continuation): continuation.resume(returning: UnsafeTransfer(outcome))
      }
    }
  }

  @usableFromInline
  struct Entry {
    /// The loop's number of the waiter; 0 for a handler, which nobody cancels.
    @usableFromInline let generation: UInt
    // Last, since it ends within a word: the source's flags fill the word up.
    @usableFromInline let waiter: Waiter

    @inlinable
    init(waiter: consuming Waiter, generation: UInt) {
      (self.waiter, self.generation) = (waiter, generation)
    }
  }

  /// The parts that few sources need, so they stand apart and are made when needed.
  @usableFromInline
  final class Overflow {
    /// The waiters behind the first.
    @usableFromInline @exclusivity(unchecked) var others = Queue<Entry>()
    /// The error with which the source has ended, for later readers; nil for a clean end.
    fileprivate var error: UVError?

    @inlinable
    init() {}
  }

  // The properties that each element touches come first, so that they share a cache line.
  @usableFromInline @exclusivity(unchecked) var first: Entry?
  @usableFromInline @exclusivity(unchecked) private(set) var isProducing = false
  @usableFromInline @exclusivity(unchecked) private(set) var hasEnded = false
  /// Whether elements go to a handler as they come.
  @usableFromInline @exclusivity(unchecked) private(set) var hasHandler = false
  /// The source itself, which owns this object; set once. Sound: it is used only while somebody asks or
  /// waits. A source that produces keeps itself alive. A caller that asks holds the source and passes it.
  unowned(unsafe) var driver: (any SourceDriver)!
  /// Nil until a second one waits, or the source ends with an error.
  @usableFromInline @exclusivity(unchecked) var rest: Overflow?

  /// Sound, as is the next: somebody asks, or waits; see ``driver``.
  private var operation: String { driver.operation }

  var loop: EventLoop { driver.loop }

  /// How the source has ended.
  private var ending: Outcome { rest?.error.map { .failure($0) } ?? .success(nil) }

  /// Whether somebody waits for an element.
  @usableFromInline var hasDemand: Bool {
    @inlinable @inline(__always) get { first != nil }
  }

  /// The number of the first in the line; 0 if the line is empty, or the first is a handler.
  var firstNumber: UInt {
    @inline(__always) get { first?.generation ?? 0 }
  }

  /// The object for ``rest``, made now if there is none.
  @inlinable
  func makeOverflow() -> Overflow {
    if let rest { return rest }
    let rest = Overflow()
    self.rest = rest
    return rest
  }

  /// Takes those out who wait behind the first.
  private func takeOthers() -> Queue<Entry> {
    guard let rest else { return Queue() }
    defer { rest.others = Queue() }
    return rest.others
  }

  // MARK: Asking

  // A caller that asks passes the source. So the source can be resumed even if nothing else holds it.

  @inline(__always)
  func next(_ waiter: Waiter, from source: any SourceDriver) -> PendingRequest {
    source.loop.assertOnLoop()
    if hasHandler || hasEnded { return answer(waiter, source.loop) }
    return PendingRequest(self as AnyWaiterQueue, generation: append(waiter, source))
  }

  /// Answers somebody who needn't wait.
  @inline(never)
  private func answer(_ waiter: Waiter, _ loop: EventLoop) -> PendingRequest {
    if let outcome = immediateOutcome() { loop.answer { waiter.resume(outcome) } }
    return PendingRequest()
  }

  /// The next element, for the calling task, which is on the loop.
  @inline(__always)
  nonisolated(nonsending) func next(
    from source: any SourceDriver, task: LoopTaskBase?
  ) async -> Outcome {
    if let outcome = outcomeIfReady() { return outcome }
    return await suspend(on: source.loop, task: task) { wait($0, from: source) }
  }

  /// The outcome that a task gets without waiting; nil if it has to wait.
  @usableFromInline
  func outcomeIfReady() -> Outcome? { outcomeIfReady(for: cuv_current_task()) }

  @inline(__always)
  func outcomeIfReady(for task: UnsafeMutableRawPointer?) -> Outcome? {
    guard hasEnded || hasHandler || cuv_task_is_cancelled(task) else { return nil }
    // It is nil also when the turn's budget is used up; `wait` then answers.
    return loop.spend(1) ? nil : immediateOutcome() ?? cancellation
  }

  private var cancellation: Outcome { .failure(UVError(.cancelled, operation: operation)) }

  @inline(__always)
  func wait(
    _ continuation: UnsafeContinuation<UnsafeTransfer<Outcome>, Never>, from source: any SourceDriver
  ) -> PendingRequest {
    if source.loop.hasUsedUpTurn, answerNextTurn(continuation) { return PendingRequest() }
    return PendingRequest(self as AnyWaiterQueue, generation: append(.task(continuation), source))
  }

  /// Answers a task in the next turn although it needn't wait, so that others on the loop have their turn.
  /// Returns false if the task has to wait anyway.
  @usableFromInline
  @inline(never)
  func answerNextTurn(
    _ continuation: UnsafeContinuation<UnsafeTransfer<Outcome>, Never>
  ) -> Bool {
    guard
      let outcome = immediateOutcome()
        ?? (cuv_task_is_cancelled(cuv_current_task()) ? cancellation : nil)
    else { return false }
    loop.queueMicrotask { continuation.resume(returning: UnsafeTransfer(outcome)) }
    return true
  }

  /// - Parameter isAhead: Whether the source has elements that came before its end. The handler gets them.
  func start(_ handler: Waiter, from source: any SourceDriver, isAhead: Bool = false) {
    source.loop.requireOnLoop("start()")
    if hasHandler || !isAhead, let outcome = immediateOutcome() {
      source.loop.answer { handler.resume(outcome) }
      return
    }
    guard first == nil else {
      let error = UVError(.sourceStarted, operation: operation)
      source.loop.answer { handler.resume(.failure(error)) }
      return
    }
    hasHandler = true
    first = Entry(waiter: handler, generation: 0)
    if case .receiver(let receiver) = handler { receiver.isHandler = true }
    if !hasEnded { produce(source) }
  }

  /// Takes the handler out, if there is one.
  private func takeHandler() -> Waiter? {
    guard hasHandler else { return nil }
    hasHandler = false
    return first.take()?.waiter
  }

  /// Notifies a handler of the end that came before it.
  func reportEnd() {
    if hasEnded, let handler = takeHandler() { handler.resume(ending) }
  }

  func stop() {
    loop.requireOnLoop()
    let handler = takeHandler()
    if case .receiver(let receiver)? = handler { receiver.isHandler = false }
    pauseIfUnwanted()
    _ = handler
  }

  override func cancel(slot: UInt, generation: UInt) {
    let entry: Entry
    if let first, first.generation == generation {
      entry = first
      self.first = rest?.others.popFirst()
    } else if let rest, let index = rest.others.firstIndex(where: { $0.generation == generation }) {
      entry = rest.others.remove(at: index)
    } else {
      return
    }
    let error = UVError(.cancelled, operation: operation)
    loop.queueMicrotask { entry.waiter.resume(.failure(error)) }
    driver.left(generation)
    pauseIfUnwanted()
  }

  override func awaited(slot: UInt, generation: UInt) -> Awaited? {
    guard isProducing,
      first?.generation == generation
        || rest?.others.contains(where: { $0.generation == generation }) == true
    else { return nil }
    return Awaited(operation: operation, subject: driver.wish(of: generation), object: driver)
  }

  /// The outcome for a reader that asks now, if it is known without an element.
  func immediateOutcome() -> Outcome? {
    if hasHandler { return .failure(UVError(.sourceStarted, operation: operation)) }
    return hasEnded ? ending : nil
  }

  @inline(__always)
  private func append(_ waiter: consuming Waiter, _ source: any SourceDriver) -> UInt {
    let number = enter(waiter, source.loop)
    produce(source)
    return number
  }

  /// Lets a waiter stand in the line that the driver has something for, or may have. Otherwise
  /// ``produce(_:)`` follows.
  ///
  /// - Returns: The number in the line.
  @inlinable
  @inline(__always)
  func enter(_ waiter: consuming Waiter, _ loop: EventLoop) -> UInt {
    let number = loop.numberWaiter()
    let entry = Entry(waiter: waiter, generation: number)
    if first == nil { first = consume entry } else { makeOverflow().others.append(consume entry) }
    return number
  }

  /// Has the driver bring elements.
  @inline(__always)
  func produce(_ source: any SourceDriver) {
    if isProducing { return }
    source.loop.requireOnLoop("next()")
    isProducing = true
    source.resume()
  }

  // MARK: Answering

  /// Delivers an element to the first waiter; there must be one. Called from libuv's callback, never from
  /// `resume`.
  @inlinable
  @inline(__always)
  func deliver(_ element: Element) {
    if hasHandler {
      first?.waiter.resume(.success(element))
    } else {
      takeFirst()?.resume(.success(element))
    }
  }

  /// Takes the first waiter out of the line, without an answer.
  @inlinable
  @inline(__always)
  func takeFirst() -> Waiter? {
    guard let entry = first.take() else { return nil }
    if let rest { first = rest.others.popFirst() }
    return entry.waiter
  }

  /// Ends the source, with or without an error, for all waiters and all later readers. Only the
  /// first call counts.
  func finish(_ error: UVError? = nil) {
    guard end(error) else { return }
    let ending = ending
    hasHandler = false
    guard let entry = first.take() else { return }
    let others = takeOthers()
    entry.waiter.resume(ending)
    for entry in others { entry.waiter.resume(ending) }
  }

  /// Ends the source for all later readers. The driver notifies those that wait.
  ///
  /// - Returns: False if it has ended before.
  func end(_ error: UVError?) -> Bool {
    if hasEnded { return false }
    hasEnded = true
    isProducing = false
    if let error { makeOverflow().error = error }
    return true
  }

  /// Notifies all waiters of an error that isn't the end. They may ask again.
  func failAll(_ error: UVError) {
    let others = takeOthers()
    fail(error)
    for entry in others { entry.waiter.resume(.failure(error)) }
  }

  /// Notifies all waiters of an error that isn't the end; see ``failAll(_:)``. A callback that handles
  /// each element stays the handler.
  func failEach(_ error: UVError) {
    guard hasHandler, case .callback(let handler)? = first?.waiter else { return failAll(error) }
    handler(.failure(error))
  }

  /// Notifies the handler, or the first waiter, of an error that isn't the end. They may ask again.
  private func fail(_ error: UVError) {
    hasHandler = false
    takeFirst()?.resume(.failure(error))
  }

  /// Pauses the driver if nobody asks for more by the end of the callback that has delivered something.
  @inline(__always)
  func pauseIfUnwanted() {
    if isProducing, !hasDemand { pause() }
  }

  func pause() {
    isProducing = false
    driver.pause()
  }
}
