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
