#if HTTP || Everything
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A time as HTTP writes it, to the second: `Sun, 06 Nov 1994 08:49:37 GMT`.
///
/// ```swift
/// let changed = HTTPDate(since1970: try await file.stat().value.modificationTime)
/// response.headerFields[.lastModified] = "\(changed)"
/// if let known = request.headerFields[.ifModifiedSince].flatMap({ HTTPDate($0) }), changed <= known { … }
/// ```
///
/// RFC 9110, 5.6.7, says what is written.
public struct HTTPDate: Sendable, Hashable, Comparable, LosslessStringConvertible {
  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Whole seconds since the beginning of 1970 in UTC, without leap seconds: 0 to 253,402,300,799, which is the
  /// end of the year 9999.
  public let secondsSince1970: Int

  /// A moment.
  ///
  /// - Parameter duration: The time since the beginning of 1970, such as `FileStatus.modificationTime`. What
  ///   isn't a whole second is left out. Earlier times become 1970, and those after the year 9999 its end.
  public init(since1970 duration: Duration) {
    secondsSince1970 = Int(min(max(0, duration.components.seconds), 253_402_300_799))
  }

  /// The time that a text says, in one of the three forms that HTTP has had; nil for anything else.
  ///
  /// - Parameter description: `Sun, 06 Nov 1994 08:49:37 GMT`, or as programs before 1997 wrote it:
  ///   `Sunday, 06-Nov-94 08:49:37 GMT`, whose year is at most 50 years ahead, or `Sun Nov  6 08:49:37 1994`.
  public init?(_ description: String) {
    var words = description.split { " ,-".contains($0) }
    // The day, the month and the year come before the time.
    if words.count == 5 { words = [words[0], words[2], words[1], words[4], words[3], "GMT"] }
    let clock = words.count == 6 ? words[4].split(separator: ":", omittingEmptySubsequences: false) : []
    guard clock.count == 3, words[5] == "GMT", let month = Self.months.firstIndex(of: String(words[2])),
      let day = Self.number(words[1]), var year = Self.number(words[3]),
      let hour = Self.number(clock[0]), let minute = Self.number(clock[1]),
      let second = Self.number(clock[2])
    else { return nil }
    if words[3].utf8.count == 2 {
      year = Self.year(endingIn: year, thisYear: Int(Self.parts(Int(time(nil))).tm_year) + 1900)
    }
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (Int32(year - 1900), Int32(month), Int32(day))
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (Int32(hour), Int32(minute), Int32(second))
    let seconds = Int(timegm(&parts))
    // The system has made another time of one that there isn't, such as one of the 31st of February.
    guard parts.tm_mday == day, parts.tm_hour == hour, parts.tm_min == minute, parts.tm_sec == second,
      words[0].hasPrefix(Self.days[Int(parts.tm_wday)]), seconds >= 0
    else { return nil }
    secondsSince1970 = seconds
  }

  /// The time as it is written today: `Sun, 06 Nov 1994 08:49:37 GMT`.
  public var description: String {
    let time = Self.parts(secondsSince1970)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let year = String(Int(time.tm_year) + 11900).dropFirst()
    let day = "\(Self.days[Int(time.tm_wday)]), \(two(time.tm_mday))"
    return
      "\(day) \(Self.months[Int(time.tm_mon)]) \(year) \(two(time.tm_hour)):\(two(time.tm_min)):\(two(time.tm_sec)) GMT"
  }

  /// The earlier time is less.
  public static func < (left: HTTPDate, right: HTTPDate) -> Bool {
    left.secondsSince1970 < right.secondsSince1970
  }

  /// The latest year with these last two digits that is at most 50 years ahead.
  static func year(endingIn digits: Int, thisYear: Int) -> Int {
    let latest = thisYear + 50
    return latest - (latest - digits) % 100
  }

  /// A number of up to four digits.
  private static func number(_ text: Substring) -> Int? {
    text.utf8.count <= 4 && text.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int(text) : nil
  }

  private static func parts(_ seconds: Int) -> tm {
    var moment = time_t(seconds)
    var parts = tm()
    gmtime_r(&moment, &parts)
    return parts
  }
}
#endif
