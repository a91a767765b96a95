public import UV

/// A stream that values are pushed into, from any thread.
///
/// A stream that is created on a loop keeps the loop running until the stream ends or is released, and
/// delivers on that loop. Releasing the stream ends it as completed.
///
/// RxStream's `HotInput`.
public final class HotInput<Output, Failure: Error>: Hot<Output, Failure> {
  private let root = HotRoot()

  /// Creates a stream that waits for values.
  public override init() {
    super.init()
    gate = root.gate
  }

  deinit { if isActive { root.end(ending()) } }

  override func didTerminate() { root.release() }

  /// Delivers a value, on the loop's thread before this returns; ignored once the stream has ended.
  public func push(_ value: Output) { root.receive(.next(value), self) }

  /// Delivers an error after which the stream goes on; ignored once it has ended.
  public func push(_ error: Failure) { root.receive(.error(error), self) }

  /// Ends the stream, on the loop's thread before this returns; ignored once it has ended.
  public func terminate(withReason reason: Termination<Failure> = .completed) {
    root.receive(.terminate(reason: reason), self)
  }
}

/// A stream of what a task produces, from any thread.
///
/// A stream that is created on a loop delivers on that loop, and keeps it running until the stream ends or
/// the task has released what it was given.
///
/// RxStream's `HotProducer`.
public final class HotProducer<Output, Failure: Error>: Hot<Output, Failure> {
  private let root = HotRoot()

  /// Creates a stream and runs `task` at once.
  ///
  /// - Parameter task: Gets what to call with each event, on any thread.
  public init(_ task: (@escaping @Sendable (StreamEvent<Output, Failure>) -> Void) -> Void) {
    super.init()
    gate = root.gate
    // Sound: looked up where the stream lives.
    let stream = UnsafeTransfer((WeakReference(self as HotProducer), root))
    task { event in
      // Sound: the caller gives the event up.
      let transfer = UnsafeTransfer(event)
      stream.value.1.run { stream.value.0.object?.receiveThrottled(transfer.value) }
    }
  }

  deinit { if isActive { root.end(ending()) } }

  override func didTerminate() { root.release() }
}

/// The root of a stream that is fed from outside. It keeps the loop running until the stream ends, and feeds
/// the stream there.
struct HotRoot {
  private let executor = EventLoop.current?.executor
  private let ticket = EventLoop.current.map { RemoteTicket(keeping: $0) }
  let gate = Gate.unlessOnLoop

  func receive<Output, Failure: Error>(_ event: StreamEvent<Output, Failure>, _ stream: Hot<Output, Failure>)
  {
    // Sound: the caller gives the value up.
    let transfer = UnsafeTransfer((stream, event))
    run { transfer.value.0.receiveThrottled(transfer.value.1) }
  }

  /// Runs `body` where the stream lives: at once on its loop's thread, or inside the gate.
  func run(_ body: @escaping () -> Void) {
    if let executor { onLoop(executor) { _ in body() } } else { gate?.run(body) }
  }

  /// Stops keeping the loop running.
  func release() {
    if let ticket, ticket.claim() { ticket.completeNow { _ in } }
  }

  /// The same for a stream that goes away; `body` notifies the listeners.
  func end(_ body: @escaping () -> Void) {
    guard let ticket else { return body() }
    if ticket.claim() { ticket.completeNow { _ in body() } }
  }
}

extension EventSource {
  /// The source as a stream of all that it delivers from now on, which ends as the source does. There is no
  /// back-pressure: the source is asked for everything.
  ///
  /// The source keeps the stream, and its chain, until it has ended, or until you call its `stop()`.
  ///
  /// RxStream's `Hot`.
  public func hot() -> Hot<Element, UVError> {
    let stream = Hot<Element, UVError>()
    start { result in
      switch result {
      case .success(let element?): stream.receive(.next(element))
      case .success(nil): stream.receive(.terminate(reason: .completed))
      case .failure(let error): stream.receive(.terminate(reason: .error(error)))
      }
    }
    return stream
  }
}
