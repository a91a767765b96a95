/// An object on a loop that delivers many elements: a listener, a connection, a ticking timer.
///
/// You can use every source in four ways, one at a time:
///
/// ```swift
/// listener.start { event in … }                        // callback: each element as it comes
/// listener.next().promise().done { connection in … }   // promise: one element, or
/// listener.each { connection in … }                    // all, each when the one before has been dealt with
/// listener.publisher().sink { … }                      // publisher: demand is back-pressure
/// for try await connection in listener { … }           // async/await
/// ```
///
/// When your program closes a listener, a UDP socket or a watcher, it ends without an error: the iteration
/// finishes. A connection or a directory that is closed while it's being read fails with `cancelled`, because
/// the reader has not received everything.
///
/// A source produces only what somebody has asked for. A connection without a reader isn't read. A listener
/// that nobody asks leaves its peers waiting in the system's queue.
public protocol EventSource<Element>: AnyObject, AsyncSequence where Failure == UVError {
  /// The loop that the source belongs to.
  var loop: EventLoop { get }

  /// Asks for one element, or nil at the end. You may ask for several elements; they are answered in order.
  ///
  /// Every reader gets the end, whether it is waiting at that time or asks afterwards. After a clean
  /// end it gets nil. After an error it gets the same error each time. So no reader mistakes a broken
  /// connection for one that ended. On a source that has a handler, this function fails with `sourceStarted`.
  ///
  /// - Parameter done: Called once on the loop's thread, never before this function returns.
  /// - Returns: A way to cancel: `done` then receives `cancelled`, and the element goes to the next reader.
  @discardableResult
  func next(_ done: @escaping Completion<Element?>) -> PendingRequest

  /// Asks for one element on behalf of an object; see `_ElementReceiver`. There is a default implementation,
  /// which calls ``next(_:)``.
  @discardableResult
  func _next(for receiver: _ElementReceiver<Element>) -> PendingRequest

  /// Calls `handler` with each element as it comes, then once with nil at the end, or with the error that
  /// ended the source.
  ///
  /// The source keeps itself alive until it has ended, or until you call ``stop()``. If somebody waits for an
  /// element already, `handler` is called with the error `sourceStarted`.
  ///
  /// - Parameter handler: Called on the loop's thread, never before this function returns.
  func start(_ handler: @escaping Completion<Element?>)

  /// Gives each element to an object as it comes, then nil at the end, or the error that ended the source;
  /// see ``start(_:)`` and `_ElementReceiver`. The source keeps the object until it has ended, or until you
  /// call ``stop()``. There is a default implementation, which calls ``start(_:)``.
  func _start(for receiver: _ElementReceiver<Element>)

  /// Ends what ``start(_:)`` began. Elements that come later wait until somebody asks for them.
  func stop()
}

extension EventSource {
  /// Asks for one element on behalf of an object, by ``next(_:)``.
  @discardableResult
  public func _next(for receiver: _ElementReceiver<Element>) -> PendingRequest {
    next { receiver.receive($0) }
  }

  /// Gives each element to an object as it comes, by ``start(_:)``.
  public func _start(for receiver: _ElementReceiver<Element>) {
    receiver.isHandler = true
    start { receiver.receive($0) }
  }

  /// A request for one element, or nil at the end. It asks when it is started; see ``next(_:)``.
  public func next() -> Request<Element?> {
    Request(of: loop) { [self] in next($0) }
  }
}

/// An object that waits for one element of a source at a time, or gets each as it comes.
///
/// It isn't part of the interface: a program uses ``EventSource/next(_:)``. An object can wait again and again
/// without an allocation; a closure can't. `each` of `UVPromises` and the publishers of `UVFutures` are made
/// with it.
open class _ElementReceiver<Element> {
  /// A function value without captures, made where the types are known. An overridden method would be
  /// unspecialized code.
  @usableFromInline let deliver: (_ElementReceiver, Result<Element?, UVError>) -> Void
  /// Whether it is a source's handler: `EventSource._start(for:)` has been accepted, and not been stopped.
  @exclusivity(unchecked) package internal(set) final var isHandler = false

  /// Creates a receiver; hand it to a source with `EventSource._next(for:)` or `EventSource._start(for:)`.
  ///
  /// - Parameter deliver: Called once for each `EventSource._next(for:)`, and for each element after
  ///   `EventSource._start(for:)`, on the loop's thread, never before that call has returned. Its arguments
  ///   are this receiver and a result: an element, nil at the end of the source, or the error that ended the
  ///   source.
  @inlinable
  public init(_ deliver: @escaping (_ElementReceiver, Result<Element?, UVError>) -> Void) {
    self.deliver = deliver
  }

  @inlinable
  final func receive(_ result: Result<Element?, UVError>) { deliver(self, result) }
}
