/// An object that waits for one element of a source at a time, as the promise and future modules do: an object can
/// wait again and again without allocating, which a closure cannot.
///
/// For the adaptors of the styles; elsewhere there is ``EventSource/next(_:)``.
open class ElementReceiver<Element> {
  /// A function value without captures, made where the types are known: a method that is overridden would be
  /// unspecialised code.
  @usableFromInline let deliver: (ElementReceiver, Result<Element?, UVError>) -> Void

  /// Creates a receiver; hand it to a source with ``EventSource/next(for:)``.
  ///
  /// - Parameter deliver: Called once for each ``EventSource/next(for:)``, on the loop's thread, never before that
  ///   has returned: with this receiver, and an element, nil at the end of the source, or the error that ended it.
  @inlinable
  public init(_ deliver: @escaping (ElementReceiver, Result<Element?, UVError>) -> Void) {
    self.deliver = deliver
  }

  @inlinable
  final func receive(_ result: Result<Element?, UVError>) { deliver(self, result) }
}
