import UV

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The `date` field of a loop's answers, which is made anew once a second (RFC 9110, 6.6.1).
final class DateField {
  static let ofLoop = LoopLocal { _ in DateField() }

  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  private var seconds = -1
  private var line = Bytes()

  /// `date: …` with the end of its line.
  var now: Bytes {
    let seconds = Int(time(nil))
    if seconds != self.seconds {
      self.seconds = seconds
      line = Bytes("date: \(Self.text(seconds))\r\n")
    }
    return line
  }

  /// A time as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT`.
  ///
  /// - Parameter seconds: Since the beginning of 1970, 0 or more.
  static func text(_ seconds: Int) -> String {
    var time = tm()
    var moment = time_t(seconds)
    gmtime_r(&moment, &time)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let day = "\(days[Int(time.tm_wday)]), \(two(time.tm_mday))"
    let date = "\(day) \(months[Int(time.tm_mon)]) \(time.tm_year + 1900)"
    return "\(date) \(two(time.tm_hour)):\(two(time.tm_min)):\(two(time.tm_sec)) GMT"
  }
}
