import CUV

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

  /// The form in which the system takes the times of files, to the nanosecond before. A time before 1970 is
  /// negative.
  var timespec: uv_timespec_t {
    let (seconds, attoseconds) = min(max(self, .seconds(Int64.min + 1)), .seconds(Int64.max)).components
    // The nanoseconds count upwards, before 1970 too.
    let part = attoseconds >= 0 ? attoseconds : attoseconds + 1_000_000_000_000_000_000
    return uv_timespec_t(
      tv_sec: Int(attoseconds >= 0 ? seconds : seconds - 1), tv_nsec: Int(part / 1_000_000_000))
  }
}

/// Durations as people read them, in reports.
extension Duration {
  /// `120 ms`, `3.2 s`, `5 min 3 s`, `2 h 10 min`, `3 d 4 h`
  var text: String {
    let milliseconds = nanoseconds / 1_000_000
    let seconds = milliseconds / 1000
    switch seconds {
    case ..<1: return "\(milliseconds) ms"
    case ..<60: return "\(seconds).\(milliseconds % 1000 / 100) s"
    case ..<3600: return "\(seconds / 60) min \(seconds % 60) s"
    case ..<86400: return "\(seconds / 3600) h \(seconds % 3600 / 60) min"
    default: return "\(seconds / 86400) d \(seconds % 86400 / 3600) h"
    }
  }

  /// `18 µs`, `1.2 ms`, and the same as ``text`` from 10 ms on.
  var shortText: String {
    let microseconds = nanoseconds / 1000
    switch microseconds {
    case ..<1000: return "\(microseconds) µs"
    case ..<10_000: return "\(microseconds / 1000).\(microseconds % 1000 / 100) ms"
    default: return text
    }
  }
}
