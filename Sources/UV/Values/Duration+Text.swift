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
