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
