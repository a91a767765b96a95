/// An object that waits for one element of a source at a time.
///
/// Use it in an operator of your own that asks again after each element: an object can wait again and again without
/// allocating, which a closure can't. `each` of `UVPromises` and the publishers of `UVFutures` are made with it. To ask
/// once, or where an allocation for each element doesn't matter, there is ``EventSource/next(_:)``.
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
