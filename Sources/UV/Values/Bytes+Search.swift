import CUV

/// Searches by the C library's functions, which look at many bytes at a time.
extension Bytes {
  /// The position of the first byte that equals `byte`; nil if there is none. Complexity: O(*n*).
  ///
  /// The corresponding C function is `memchr`.
  public func firstIndex(of byte: UInt8) -> Int? {
    defer { withExtendedLifetime(storage) {} }
    return find(byte, start, count)
  }

  /// Whether one of the bytes equals `byte`. Complexity: O(*n*).
  public func contains(_ byte: UInt8) -> Bool { firstIndex(of: byte) != nil }

  /// The positions of the first occurrence of `bytes`; nil if they don't occur. No bytes occur at the
  /// beginning.
  ///
  /// Complexity: O(*n*).
  ///
  /// The corresponding C function is `memmem`.
  public func firstRange(of bytes: Bytes) -> Range<Int>? {
    defer { withExtendedLifetime((storage, bytes.storage)) {} }
    return find(bytes, start, count).map { $0..<$0 + bytes.count }
  }

  /// Whether the bytes begin with `bytes`. Complexity: O(*m*) in the count of `bytes`.
  public func starts(with bytes: Bytes) -> Bool {
    defer { withExtendedLifetime((storage, bytes.storage)) {} }
    return bytes.count <= count && isEqual(start, bytes.start, bytes.count)
  }
}

/// The position of the first byte that equals `byte` among `count` bytes.
func find(_ byte: UInt8, _ start: UnsafePointer<UInt8>, _ count: Int) -> Int? {
  if count <= 0 { return nil }
  return memchr(start, Int32(byte), count).map { UnsafeRawPointer($0) - UnsafeRawPointer(start) }
}

/// The position of the first occurrence of `pattern` among `count` bytes.
func find(_ pattern: Bytes, _ start: UnsafePointer<UInt8>, _ count: Int) -> Int? {
  if pattern.isEmpty { return 0 }
  if count < pattern.count { return nil }
  return cuv_find(start, count, pattern.start, pattern.count).map { $0 - UnsafeRawPointer(start) }
}

/// Whether two runs of `count` bytes are the same.
func isEqual(_ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, _ count: Int) -> Bool {
  memcmp(a, b, count) == 0
}
