/// Room for how a future ended, inside the future, for whoever knows the type: up to three words are kept in
/// place, larger ones in a block of their own.
///
/// Not a field of that type: to destroy one, a generic class first looks the type up at run time.
@usableFromInline
struct OutcomeStorage {
  @usableFromInline var words: (UInt, UInt, UInt) = (0, 0, 0)

  @inlinable
  init() {}

  /// Whether values of the type are kept in place.
  @inlinable @inline(__always)
  static func holds<T>(_ type: T.Type) -> Bool {
    MemoryLayout<T>.size <= MemoryLayout<OutcomeStorage>.size
      && MemoryLayout<T>.alignment <= MemoryLayout<OutcomeStorage>.alignment
  }
}

extension Future {
  /// Whether it has been decided how the future ends.
  @inlinable
  var isSettled: Bool { destroyOutcome != nil }

  /// How the future ended, nil until then.
  @inlinable
  var outcome: Result<Output, Failure>? { isSettled ? outcomePointer.pointee : nil }

  /// Where that is.
  @inlinable @inline(__always)
  var outcomePointer: UnsafeMutablePointer<Result<Output, Failure>> {
    if OutcomeStorage.holds(Result<Output, Failure>.self) {
      // Sound: the memory is this object's own, and lives as long as it.
      return withUnsafeMutablePointer(to: &storage) {
        UnsafeMutableRawPointer($0).assumingMemoryBound(to: Result<Output, Failure>.self)
      }
    }
    return UnsafeMutablePointer(bitPattern: storage.words.0)!
  }

  /// Puts the outcome into the empty storage, and notes how to destroy it.
  @inlinable @inline(__always)
  func store(_ result: Result<Output, Failure>) {
    if OutcomeStorage.holds(Result<Output, Failure>.self) {
      // Sound: as above; the room is large enough.
      withUnsafeMutablePointer(to: &storage) {
        _ = UnsafeMutableRawPointer($0).initializeMemory(as: Result<Output, Failure>.self, to: result)
      }
      destroyOutcome = { $0.outcomePointer.deinitialize(count: 1) }
    } else {
      let block = UnsafeMutablePointer<Result<Output, Failure>>.allocate(capacity: 1)
      block.initialize(to: result)
      storage.words.0 = UInt(bitPattern: block)
      destroyOutcome = {
        $0.outcomePointer.deinitialize(count: 1)
        $0.outcomePointer.deallocate()
      }
    }
  }
}
