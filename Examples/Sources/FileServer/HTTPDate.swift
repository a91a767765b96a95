import Foundation
import UV

/// Times as HTTP writes them: `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// The seconds since the beginning of 1970.
  static var now: Int { Int(Date().timeIntervalSince1970) }

  static func text(_ seconds: Int) -> Bytes {
    var time = tm()
    var seconds = time_t(seconds)
    gmtime_r(&seconds, &time)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let day = days[(Int(time.tm_wday) + 3) % 7]
    let date = "\(two(time.tm_mday)) \(months[Int(time.tm_mon)]) \(Int(time.tm_year) + 1900)"
    return Bytes("\(day), \(date) \(two(time.tm_hour)):\(two(time.tm_min)):\(two(time.tm_sec)) GMT")
  }

  /// The time that a text says; nil for anything else, and for forms that HTTP has given up.
  static func seconds(_ text: Bytes) -> Int? {
    guard text.count == 29, let month = months.firstIndex(of: String(decoding: text[8..<11], as: UTF8.self)),
      let day = Bytes(text[5..<7]).number, let year = Bytes(text[12..<16]).number,
      let hour = Bytes(text[17..<19]).number, let minute = Bytes(text[20..<22]).number,
      let second = Bytes(text[23..<25]).number
    else { return nil }
    var time = tm()
    (time.tm_year, time.tm_mon, time.tm_mday) = (Int32(year - 1900), Int32(month), Int32(day))
    (time.tm_hour, time.tm_min, time.tm_sec) = (Int32(hour), Int32(minute), Int32(second))
    let seconds = timegm(&time)
    // Only one text says this time. Others, such as one of the 31st of February, say none.
    return Self.text(seconds) == text ? seconds : nil
  }
}
