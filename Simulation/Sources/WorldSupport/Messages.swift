public import UV

/// The byte at a place of a message.
@inlinable @inline(__always)
public func messageByte(_ number: Int, _ index: Int) -> UInt8 {
  UInt8(truncatingIfNeeded: index &* 7 &+ number &* 31 &+ index >> 8)
}

/// Bytes of which each place has its own value.
public func message(_ number: Int, _ count: Int) -> Bytes {
  Bytes(unsafeUninitializedCapacity: count) { buffer in
    for index in 0..<count { buffer[index] = messageByte(number, index) }
    return count
  }
}
