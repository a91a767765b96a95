/// Room for how a future ended, inside the future, for whoever knows the type: up to three words are kept in place, larger
/// ones in a block of their own.
///
/// Not a field of that type: to destroy one, a generic class first looks the type up at run time.
@usableFromInline
struct SettlementStorage {
  @usableFromInline var words: (UInt, UInt, UInt) = (0, 0, 0)

  @inlinable
  init() {}

  /// Whether values of the type are kept in place.
  @inlinable @inline(__always)
  static func holds<T>(_ type: T.Type) -> Bool {
    MemoryLayout<T>.size <= MemoryLayout<SettlementStorage>.size
      && MemoryLayout<T>.alignment <= MemoryLayout<SettlementStorage>.alignment
  }
}

extension Future {
  /// Whether it has been decided how the future ends.
  @inlinable
  final var isSettled: Bool { destroyOutcome != nil }

  /// How the future ended, nil until then.
  @inlinable
  final var outcome: Settlement<Output, Failure>? { isSettled ? outcomePointer.pointee : nil }

  /// Where that is.
  @inlinable @inline(__always)
  final var outcomePointer: UnsafeMutablePointer<Settlement<Output, Failure>> {
    if SettlementStorage.holds(Settlement<Output, Failure>.self) {
      // Sound: the memory is this object's own, and lives as long as it.
      return withUnsafeMutablePointer(to: &storage) {
        UnsafeMutableRawPointer($0).assumingMemoryBound(to: Settlement<Output, Failure>.self)
      }
    }
    return UnsafeMutablePointer(bitPattern: storage.words.0)!
  }

  /// Puts the outcome into the empty storage, and notes how to destroy it.
  @inlinable @inline(__always)
  final func store(_ settlement: Settlement<Output, Failure>) {
    if SettlementStorage.holds(Settlement<Output, Failure>.self) {
      // Sound: as above; the room is large enough.
      withUnsafeMutablePointer(to: &storage) {
        _ = UnsafeMutableRawPointer($0).initializeMemory(as: Settlement<Output, Failure>.self, to: settlement)
      }
      destroyOutcome = { $0.outcomePointer.deinitialize(count: 1) }
    } else {
      let block = UnsafeMutablePointer<Settlement<Output, Failure>>.allocate(capacity: 1)
      block.initialize(to: settlement)
      storage.words.0 = UInt(bitPattern: block)
      destroyOutcome = {
        $0.outcomePointer.deinitialize(count: 1)
        $0.outcomePointer.deallocate()
      }
    }
  }
}
