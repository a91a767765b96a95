/// Something on a loop that speaks many times: a listener, a connection, a ticking timer.
///
/// Every source is used in four ways, one at a time:
///
/// ```swift
/// listener.start { event in … }                        // callback: each element as it comes
/// listener.next().promise().done { connection in … }   // promise: one element, or
/// listener.each { connection in … }                    // all, each when the one before has been dealt with
/// listener.publisher().sink { … }                      // publisher: demand is back-pressure
/// for try await connection in listener { … }           // async/await
/// ```
///
/// A listener, a UDP socket or a watcher that your program closes ends without an error: the iteration finishes. A
/// connection or a directory that is closed while it's read fails with `cancelled`, because what came before is not
/// all that there was.
///
/// A source produces nothing that nobody has asked for: a connection without a reader is not read, a listener
/// without an acceptor leaves its peers in the system's queue.
public protocol EventSource<Element>: AnyObject, AsyncSequence where Failure == UVError {
  /// The loop that the source belongs to.
  var loop: EventLoop { get }

  /// Asks for one element, or nil at the end; several may be asked for, and are answered in order.
  ///
  /// The end is told to everyone who waits for it and to everyone who asks afterwards: nil after a clean end, and the
  /// same error again after an error, so that no reader takes a connection that broke for one that ended. On a source
  /// that has been given a handler this fails with `sourceStarted`.
  ///
  /// - Parameter done: Called once on the loop's thread, never before this returns.
  @discardableResult
  func next(_ done: @escaping Completion<Element?>) -> PendingRequest

  /// As ``next(_:)``, for an object that waits. There is a default.
  @discardableResult
  func next(for receiver: ElementReceiver<Element>) -> PendingRequest

  /// Calls `handler` with each element as it comes, then with nil at the end, or with the error that ended it.
  ///
  /// The source keeps itself alive until it has ended, or ``stop()`` is called.
  func start(_ handler: @escaping Completion<Element?>)

  /// Ends what ``start(_:)`` began; elements that come later wait until they are asked for.
  func stop()
}

extension EventSource {
  /// As ``next(_:)``, for an object that waits.
  @discardableResult
  public func next(for receiver: ElementReceiver<Element>) -> PendingRequest { next { receiver.receive($0) } }

  /// Asks for one element, or nil at the end, when started; see ``next(_:)``.
  public func next() -> Request<Element?> {
    Request(loop) { [self] in next($0) }
  }
}
