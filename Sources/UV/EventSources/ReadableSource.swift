/// The reading side that sources without a handle of their own share: ``CustomSource``, ``Ticks``, ``Directory``,
/// and types of other modules such as `HTTPServer` and `TLSListener`.
///
/// You don't name this type; use its subclasses.
open class ReadableSource<Element>: EventSource {
  /// The error that ends the source early.
  public typealias Failure = UVError

  /// The loop that the source belongs to.
  public final let loop: EventLoop

  init(_ loop: EventLoop) { self.loop = loop }

  /// Those who wait for elements, and what brings these. A subclass says what they are.
  var line: (waiters: WaiterQueue<Element>, driver: any SourceDriver) {
    fatalError("a source without a line")
  }

  /// The source, if elements may be there that nobody has asked for.
  var custom: CustomSource<Element>? { nil }

  /// Asks for the next element, or nil at the end; see ``EventSource/next(_:)``.
  @discardableResult
  public final func next(_ done: @escaping Completion<Element?>) -> PendingRequest { ask(.callback(done)) }

  /// Asks for the next element on behalf of an object; see `_ElementReceiver`.
  @discardableResult
  public final func _next(for receiver: _ElementReceiver<Element>) -> PendingRequest {
    ask(.receiver(receiver))
  }

  private func ask(_ waiter: WaiterQueue<Element>.Waiter) -> PendingRequest {
    let (waiters, driver) = line
    return waiters.next(waiter, from: driver)
  }

  /// Calls `handler` with each element as it comes; see ``EventSource/start(_:)``.
  public final func start(_ handler: @escaping Completion<Element?>) { start(.callback(handler)) }

  /// Gives each element to an object as it comes; see `_ElementReceiver`.
  public final func _start(for receiver: _ElementReceiver<Element>) { start(.receiver(receiver)) }

  private func start(_ handler: WaiterQueue<Element>.Waiter) {
    let (waiters, driver) = line
    waiters.start(handler, from: driver)
  }

  /// Ends what ``start(_:)`` began. Elements that come later wait until somebody asks for them.
  public final func stop() { line.waiters.stop() }

  /// Iterates until the source ends.
  public final func makeAsyncIterator() -> SourceIterator<Element> {
    if let custom { return SourceIterator(custom) }
    let (waiters, driver) = line
    return SourceIterator(waiters, of: driver)
  }
}

/// A source whose elements come from within a module: the base class of sources that another module's types
/// are, such as `HTTPServer` and `TLSListener`.
///
/// It has the reading side of a ``CustomSource``. It isn't part of the interface: it is public because it is
/// inherited from in other modules.
open class _SentSource<Element>: ReadableSource<Element> {
  private var made: CustomSource<Element>?
  private let make: ((_SentSource) -> CustomSource<Element>)?

  /// - Parameter source: The source whose elements these are.
  package init(_ source: CustomSource<Element>) {
    (made, make) = (source, nil)
    super.init(source.loop)
  }

  /// - Parameter make: Makes the source of this object, when somebody first asks.
  package init(_ loop: EventLoop, _ make: @escaping (_SentSource) -> CustomSource<Element>) {
    self.make = make
    super.init(loop)
  }

  /// Where the module sends the elements.
  package final var source: CustomSource<Element> {
    if let made { return made }
    let source = make!(self)
    made = source
    return source
  }

  override final var line: (waiters: WaiterQueue<Element>, driver: any SourceDriver) { source.line }

  override final var custom: CustomSource<Element>? { source }
}
