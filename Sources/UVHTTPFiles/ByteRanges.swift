#if HTTP || Everything
import UVHTTP

/// The parts of a file that a client asks for (RFC 9110, 14.1.2).
enum ByteRanges {
  /// A client that wants more parts than this gets the whole file.
  static let limit = 16

  /// Understands `bytes=0-99,200-,-50`.
  ///
  /// - Returns: The parts that are in the file; none if that is true of none of them. Nil if the field isn't
  ///   understood, and has to be ignored.
  static func parse(_ field: String, size: Int) -> [Range<Int>]? {
    guard field.prefix(6).lowercased() == "bytes=" else { return nil }
    let parts = field.dropFirst(6).split(separator: ",").map(\.trimmed).filter { !$0.isEmpty }
    guard 1...limit ~= parts.count else { return nil }
    var ranges: [Range<Int>] = []
    for part in parts {
      let ends = part.split(separator: "-", omittingEmptySubsequences: false)
      guard ends.count == 2, let first = number(ends[0]), let last = number(ends[1]) else { return nil }
      switch (first, last) {
      case (nil, nil): return nil
      case (nil, let count?): if count > 0, size > 0 { ranges.append(max(0, size - count)..<size) }
      case (let start?, nil): if start < size { ranges.append(start..<size) }
      case (let start?, let last?):
        if start > last { return nil }
        if start < size { ranges.append(start..<min(last, size - 1) + 1) }
      }
    }
    // A client that wants the same bytes several times gets them once, with the whole file.
    return ranges.reduce(0) { $0 + $1.count } > size ? nil : ranges
  }

  /// A number, or `.some(nil)` where none stands; nil if that is no number. A number beyond all files is the greatest.
  private static func number(_ text: Substring) -> Int?? {
    if text.isEmpty { return .some(nil) }
    guard text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    return Int(text) ?? .max
  }
}
#endif
