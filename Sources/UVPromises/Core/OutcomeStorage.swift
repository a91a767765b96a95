/// Room for a value or an error inside a node, for whoever knows the type: up to four words are kept in
/// place, larger values in a block of their own. Until then, it may hold an ``Observer``.
@usableFromInline
struct OutcomeStorage {
  @usableFromInline var words: (UInt, UInt, UInt, UInt) = (0, 0, 0, 0)

  @inlinable
  init() {}

  /// Whether values of the type are kept in place.
  @inlinable @inline(__always)
  static func holds<T>(_ type: T.Type) -> Bool {
    MemoryLayout<T>.size <= MemoryLayout<OutcomeStorage>.size
      && MemoryLayout<T>.alignment <= MemoryLayout<OutcomeStorage>.alignment
  }
}

extension Node {
  /// Where the value is.
  @inlinable @inline(__always)
  final func pointer<T>(to type: T.Type) -> UnsafeMutablePointer<T> {
    if OutcomeStorage.holds(type) {
      // Sound: the memory is this object's own, and lives as long as it.
      return withUnsafeMutablePointer(to: &storage) {
        UnsafeMutableRawPointer($0).assumingMemoryBound(to: type)
      }
    }
    return UnsafeMutablePointer(bitPattern: storage.words.0)!
  }

  /// Puts a value or an error into the empty storage, and notes how to destroy it.
  @inlinable @inline(__always)
  final func store<T>(_ value: T) {
    if OutcomeStorage.holds(T.self) {
      withUnsafeMutablePointer(to: &storage) {
        _ = UnsafeMutableRawPointer($0).initializeMemory(as: T.self, to: value)
      }
      perform = _isPOD(T.self) ? nil : { node, _ in node.pointer(to: T.self).deinitialize(count: 1) }
    } else {
      let block = UnsafeMutablePointer<T>.allocate(capacity: 1)
      block.initialize(to: value)
      storage.words.0 = UInt(bitPattern: block)
      perform = { node, _ in
        node.pointer(to: T.self).deinitialize(count: 1)
        node.pointer(to: T.self).deallocate()
      }
    }
  }

  /// The value of a fulfilled promise.
  @inlinable @inline(__always)
  final func value<T>(as type: T.Type) -> T { pointer(to: type).pointee }

  /// The error of a rejected promise, or the cancellation of a revoked one.
  @usableFromInline
  final var failure: any Error { state == .revoked ? revocation : pointer(to: (any Error).self).pointee }
}
