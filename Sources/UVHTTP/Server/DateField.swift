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

  private var seconds = -1
  private var line = Bytes()

  /// `date: …` with the end of its line.
  var now: Bytes {
    let seconds = Int(time(nil))
    if seconds != self.seconds {
      self.seconds = seconds
      line = Bytes("date: \(HTTPDate(since1970: .seconds(seconds)))\r\n")
    }
    return line
  }
}
