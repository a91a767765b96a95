extension Duration {
  /// Whole nanoseconds; 0 for a negative duration, and the largest number for one that doesn't fit.
  package var nanoseconds: UInt64 {
    let length = attoseconds
    // 10⁹ is 2⁹ · 5⁹, so that up to two and a half hours no division needs 128 bits.
    if length >> 73 == 0 { return UInt64(truncatingIfNeeded: length >> 9) / 1_953_125 }
    // This is more than fits, and more than the components could hold.
    if self > .seconds(Int64.max) { return .max }
    if self < .zero { return 0 }
    let (seconds, attoseconds) = components
    let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, carry) = whole.addingReportingOverflow(UInt64(attoseconds) / 1_000_000_000)
    return overflow || carry ? .max : sum
  }

  /// Whole milliseconds, which is libuv's unit, rounded up so that nothing is early. 0 for a negative
  /// duration, and the largest number for one that doesn't fit.
  package var milliseconds: UInt64 {
    if self > .seconds(Int64.max) { return .max }
    if self < .zero { return 0 }
    let (seconds, attoseconds) = components
    let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1000)
    let (sum, carry) = whole.addingReportingOverflow(
      (UInt64(attoseconds) + 999_999_999_999_999) / 1_000_000_000_000_000)
    return overflow || carry ? .max : sum
  }

  /// Seconds, in the form in which libuv takes the times of files.
  var inSeconds: Double {
    self / .seconds(1)
  }
}
