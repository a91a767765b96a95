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

  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
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
    let (day, second) = (seconds / 86400, seconds % 86400)
    // The days since the first of March of the year 0, in eras of 400 years.
    let shifted = day + 719_468
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 2 : shiftedMonth - 10
    let year = yearOfEra + shifted / 146_097 * 400 + (month < 2 ? 1 : 0)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let date =
      "\(days[day % 7]), \(two(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)) \(months[month]) \(year)"
    return "\(date) \(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60)) GMT"
  }
}
