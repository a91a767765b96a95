extension Duration {
  /// Whole nanoseconds, 0 for a negative duration and the largest number for one that does not fit.
  package var nanoseconds: UInt64 {
    // More than fits, and more than the components could say.
    if self > .seconds(Int64.max) { return .max }
    if self < .zero { return 0 }
    let (seconds, attoseconds) = components
    let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, carry) = whole.addingReportingOverflow(UInt64(attoseconds) / 1_000_000_000)
    return overflow || carry ? .max : sum
  }

  /// Whole milliseconds, rounded up so that nothing is early; libuv's unit. 0 for a negative duration and the largest
  /// number for one that does not fit.
  var milliseconds: UInt64 {
    if self > .seconds(Int64.max) { return .max }
    if self < .zero { return 0 }
    let (seconds, attoseconds) = components
    let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1000)
    let (sum, carry) = whole.addingReportingOverflow(
      (UInt64(attoseconds) + 999_999_999_999_999) / 1_000_000_000_000_000)
    return overflow || carry ? .max : sum
  }

  /// Seconds as libuv's file times have them.
  var inSeconds: Double {
    self / .seconds(1)
  }
}
