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

extension Bytes {
  /// The integer whose bytes begin at `position`, the highest byte first. This is the order of most
  /// protocols.
  ///
  /// - Parameters:
  ///   - type: The integer's type, which says how many bytes there are.
  ///   - position: Where its bytes begin. If there are too few bytes, the program stops with a message.
  @inlinable
  public func bigEndian<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type, at position: Int = 0) -> T {
    T(bigEndian: load(type, at: position))
  }

  /// The integer whose bytes begin at `position`, the lowest byte first.
  ///
  /// - Parameters:
  ///   - type: The integer's type, which says how many bytes there are.
  ///   - position: Where its bytes begin. If there are too few bytes, the program stops with a message.
  @inlinable
  public func littleEndian<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type, at position: Int = 0) -> T
  {
    T(littleEndian: load(type, at: position))
  }

  @inlinable
  func load<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type, at position: Int) -> T {
    require(
      position >= 0 && position <= count - MemoryLayout<T>.size,
      "an integer of \(MemoryLayout<T>.size) bytes at \(position) of \(count) bytes")
    return withUnsafeBytes { $0.loadUnaligned(fromByteOffset: position, as: type) }
  }

  /// The number that the bytes spell in decimal digits, which may have a sign before them: `"-17"`. It is nil
  /// if there is anything else, if there is no digit, or if the number is out of range. Complexity: O(*n*).
  public var decimal: Int? {
    withUnsafeBytes { digits in
      let isNegative = digits.first == UInt8(ascii: "-")
      let hasSign = isNegative || digits.first == UInt8(ascii: "+")
      if digits.count == (hasSign ? 1 : 0) { return nil }
      var number = 0
      for byte in digits.dropFirst(hasSign ? 1 : 0) {
        let digit = Int(byte) - 0x30
        guard 0...9 ~= digit else { return nil }
        // It is kept negative, because there is one negative number more.
        let (tenfold, isTooLarge) = number.multipliedReportingOverflow(by: 10)
        let (sum, isLarger) = tenfold.subtractingReportingOverflow(digit)
        if isTooLarge || isLarger { return nil }
        number = sum
      }
      if isNegative { return number }
      return number == .min ? nil : -number
    }
  }
}

extension Bytes {
  /// The bytes in place, as a span. The compiler sees to it that the span isn't used after the bytes.
  @inlinable
  public var span: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get {
      // Sound: the bytes stay as long as `self`, which the span borrows.
      let span = unsafe Span(_unsafeStart: start, count: count)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }

  /// The bytes in place, as a span from which other types are loaded.
  @inlinable
  public var bytes: RawSpan {
    @_lifetime(borrow self)
    borrowing get {
      // Sound: see above.
      let span = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(start), byteCount: count)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }
}

/// The checksum CRC-32C (Castagnoli), of bytes that come in parts.
package struct CRC32C {
  /// The term that each value of a byte adds.
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0x82F6_3B78 : sum >> 1 }
  }

  private var sum = UInt32.max

  package init() {}

  /// The checksum of what was added.
  package var value: UInt32 { ~sum }

  package mutating func add(_ bytes: Span<UInt8>) {
    let table = Self.table
    for index in bytes.indices { sum = table[Int(UInt8(truncatingIfNeeded: sum) ^ bytes[index])] ^ sum >> 8 }
  }
}

extension Bytes {
  /// The checksum CRC-32C (Castagnoli) of the bytes, which shows a record that was written or sent in part, or
  /// damaged by chance. It is the one of iSCSI, ext4 and the PROXY protocol; whoever means harm can forge it.
  /// Complexity: O(*n*).
  public var crc32c: UInt32 {
    var sum = CRC32C()
    sum.add(span)
    return sum.value
  }
}
