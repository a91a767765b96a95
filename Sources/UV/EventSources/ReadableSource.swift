/// A source whose elements come from within a module: the base class of sources that another module's types
/// are, such as `HTTPServer` and `TLSListener`.
///
/// It has the reading side of a ``CustomSource``. You don't name this type; use its subclasses.
open class ReadableSource<Element>: EventSource {
  /// The error that ends the source early.
  public typealias Failure = UVError

  /// The loop that the source belongs to.
  public final let loop: EventLoop

  private var made: CustomSource<Element>?
  private let make: ((ReadableSource) -> CustomSource<Element>)?

  /// - Parameter source: The source whose elements these are.
  package init(_ source: CustomSource<Element>) {
    (loop, made, make) = (source.loop, source, nil)
  }

  /// - Parameter make: Makes the source of this object, when somebody first asks.
  package init(_ loop: EventLoop, _ make: @escaping (ReadableSource) -> CustomSource<Element>) {
    (self.loop, self.make) = (loop, make)
  }

  /// Where the module sends the elements.
  package final var source: CustomSource<Element> {
    if let made { return made }
    let source = make!(self)
    made = source
    return source
  }

  /// Asks for the next element, or nil at the end; see ``EventSource/next(_:)``.
  @discardableResult
  public final func next(_ done: @escaping Completion<Element?>) -> PendingRequest { source.next(done) }

  /// Asks for the next element on behalf of an object; see `_ElementReceiver`.
  @discardableResult
  public final func _next(for receiver: _ElementReceiver<Element>) -> PendingRequest {
    source._next(for: receiver)
  }

  /// Calls `handler` with each element as it comes; see ``EventSource/start(_:)``.
  public final func start(_ handler: @escaping Completion<Element?>) { source.start(handler) }

  /// Gives each element to an object as it comes; see `_ElementReceiver`.
  public final func _start(for receiver: _ElementReceiver<Element>) { source._start(for: receiver) }

  /// Ends what ``start(_:)`` began. Elements that come later wait until somebody asks for them.
  public final func stop() { source.stop() }

  /// Iterates until the source ends.
  public final func makeAsyncIterator() -> SourceIterator<Element> { source.makeAsyncIterator() }
}
