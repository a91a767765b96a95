/// Room for how a request, a promise or a future ended, inside an object, for code with the type, and for the
/// functions of a request to another loop: up to four words are kept in place, larger ones in a block of their own.
///
/// Not a field of that type: to destroy one, a generic class first looks the type up at run time.
@usableFromInline
package struct OutcomeStorage {
  /// A pointer, not a number: the compiler takes it that no object escapes to a place which only numbers are in. In a
  /// release build it then had an object on the stack that a stored handler captured.
  @usableFromInline typealias Word = UnsafeMutableRawPointer?

  @usableFromInline var words: (Word, Word, Word, Word)

  @inlinable
  package init() { words = (nil, nil, nil, nil) }

  /// Whether values of the type are kept in place.
  @inlinable @inline(__always)
  package static func holds<T>(_ type: T.Type) -> Bool {
    MemoryLayout<T>.size <= MemoryLayout<OutcomeStorage>.size
      && MemoryLayout<T>.alignment <= MemoryLayout<OutcomeStorage>.alignment
  }

  /// Whether an outcome of the type takes nothing to destroy: it is in place, and refers to no object.
  @inlinable @inline(__always)
  package static func forgets<T>(_ type: T.Type) -> Bool { holds(type) && _isPOD(type) }

  /// Where the outcome is that has been stored.
  @inlinable @inline(__always)
  package mutating func pointer<T>(to type: T.Type) -> UnsafeMutablePointer<T> {
    if !OutcomeStorage.holds(type) { return words.0.unsafelyUnwrapped.assumingMemoryBound(to: type) }
    // Sound: the memory is that of the object which this is in, and lives as long as that.
    return withUnsafeMutablePointer(to: &words) { UnsafeMutableRawPointer($0).assumingMemoryBound(to: type) }
  }

  /// Puts an outcome into the storage, which is empty.
  @inlinable @inline(__always)
  package mutating func store<T>(_ outcome: consuming T) {
    if !OutcomeStorage.holds(T.self) {
      words.0 = UnsafeMutableRawPointer(UnsafeMutablePointer<T>.allocate(capacity: 1))
    }
    pointer(to: T.self).initialize(to: outcome)
  }

  /// Takes the outcome out, once.
  @inlinable @inline(__always)
  package mutating func take<T>(_ type: T.Type) -> T {
    let place = pointer(to: type)
    defer { if !OutcomeStorage.holds(type) { place.deallocate() } }
    return place.move()
  }
}
