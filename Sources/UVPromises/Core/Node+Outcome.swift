import UV

extension Node {
  /// Where the value is.
  @inlinable @inline(__always)
  final func pointer<T>(to type: T.Type) -> UnsafeMutablePointer<T> { storage.pointer(to: type) }

  /// Puts a value or an error into the empty storage, and notes how to destroy it.
  @inlinable @inline(__always)
  final func store<T>(_ value: consuming T) {
    storage.store(value)
    let isNothing = OutcomeStorage.holds(T.self) && _isPOD(T.self)
    perform = isNothing ? nil : { node, _ in _ = node.storage.take(T.self) }
  }

  /// The value of a fulfilled promise.
  @inlinable @inline(__always)
  final func value<T>(as type: T.Type) -> T { pointer(to: type).pointee }

  /// The error of a rejected promise, or the cancellation of a revoked one.
  @usableFromInline
  final var failure: any Error { state == .revoked ? revocation : pointer(to: (any Error).self).pointee }
}
