import CUV

/// A handle that is an event source: the part that listeners, sockets and watchers share.
///
/// When your program closes such a handle, the source ends without an error. A `for try await` loop over it
/// finishes, a publisher completes, and a handler or ``next()`` gets nil. When the loop ends and closes the
/// handle, readers that wait get `cancelled`.
public class SourceHandle<Element>: Handle, EventSource, SourceDriver {
  /// The error that ends the source early.
  public typealias Failure = UVError

  let source: WaiterQueue<Element>
  let operation: String

  /// Makes the libuv handle.
  ///
  /// - Parameters:
  ///   - operation: What the source does, by libuv's name, for the errors that end it.
  ///   - initOperation: What `initialize` does, by libuv's name.
  init(
    loop: EventLoop, _ operation: String, size: Int, _ initOperation: String,
    _ initialize: (UnsafeMutableRawPointer) -> Int32
  ) throws(UVError) {
    self.operation = operation
    source = WaiterQueue()
    try super.init(loop: loop, size: size, initOperation, initialize)
    source.driver = self
  }

  /// Asks for the next element, or nil at the end; see ``EventSource/next(_:)``.
  @discardableResult
  public func next(_ done: @escaping Completion<Element?>) -> PendingRequest {
    source.next(.callback(done), from: self)
  }

  /// Asks for the next element on behalf of an object; see `_ElementReceiver`.
  @discardableResult
  public func _next(for receiver: _ElementReceiver<Element>) -> PendingRequest {
    source.next(.receiver(receiver), from: self)
  }

  /// Calls `handler` with each element as it comes; see ``EventSource/start(_:)``.
  public func start(_ handler: @escaping Completion<Element?>) {
    source.start(.callback(handler), from: self)
  }

  /// Gives each element to an object as it comes; see `_ElementReceiver`.
  public func _start(for receiver: _ElementReceiver<Element>) {
    source.start(.receiver(receiver), from: self)
  }

  /// Ends what ``start(_:)`` began; see ``EventSource/stop()``.
  public func stop() { source.stop() }

  // MARK: Producing

  /// Makes libuv produce. Called when somebody asks and nobody asked before.
  func startProducing() throws(UVError) {}

  /// Makes libuv stop producing. Called when nobody asks any more.
  func stopProducing() {}

  override var isAwaited: Bool { source.hasDemand }

  /// Whether elements have come while nobody asked.
  var hasPending: Bool { false }

  /// Delivers the elements that have come while nobody asked.
  func deliverPending() {}

  func resume() {
    do throws(UVError) {
      try checkOpen(operation)
      try startProducing()
    } catch {
      return loop.queueMicrotask { [self] in source.finish(isEndedByProgram ? nil : error) }
    }
    keepAlive(.source)
    // Not from here, because the caller that asks is still on the stack.
    guard hasPending else { return }
    loop.queueMicrotask { [self] in
      deliverPending()
      source.pauseIfUnwanted()
    }
  }

  /// Whether the program itself has closed the handle. The elements of such a source have no end that a
  /// reader could miss. So this isn't an error for readers that wait, but a close by the end of the loop is.
  private var isEndedByProgram: Bool { isClosing && !loop.isClosed }

  func pause() {
    if !isClosing { stopProducing() }
    letGo(.source)
  }

  override func didClose() {
    source.finish(loop.isClosed ? UVError(.cancelled, operation: operation) : nil)
    super.didClose()
  }

  // MARK: Iterating

  /// The iterator over a source's elements.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let handle: SourceHandle<Element>

    /// Waits for the next element; nil at the end.
    ///
    /// - Throws: The error that ended the source, or `cancelled` if the task is cancelled.
    public nonisolated(nonsending) mutating func next(
      isolation: (any Actor)? = #isolation
    ) async throws(UVError) -> Element? {
      try await handle.source.next(from: handle, task: handle.loop.currentTask).get()
    }
  }

  /// Iterates over the elements until the source ends, or until your program closes it.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(handle: self) }
}
