#if HTTP || Everything
/// The characters of HTTP's grammar (RFC 9110, 5.6; RFC 3986, 2).
extension UInt8 {
  static let tab: UInt8 = 9
  static let lineFeed: UInt8 = 10
  static let carriageReturn: UInt8 = 13
  static let space: UInt8 = 32

  /// Whether it is a blank between two parts of a line.
  var isBlank: Bool { self == .space || self == .tab }

  var isDigit: Bool { self &- 0x30 < 10 }

  /// Whether it may be a part of a token: letters, digits and !#$%&'*+-.^_`|~, a bit for each.
  var isToken: Bool {
    // Most are letters.
    if (self | 0x20) &- 0x61 < 26 { return true }
    let bits: UInt64 = self < 64 ? 0x03ff_6cfa_0000_0000 : 0x57ff_ffff_c7ff_fffe
    return self < 128 && bits >> UInt64(self & 63) & 1 != 0
  }

  /// Whether it may be a part of a field's value: what can be seen, blanks, and bytes beyond ASCII.
  var isFieldValue: Bool { self >= .space && self != 0x7f || self == .tab }

  /// Whether it may be a part of a request's target: what can be seen, but for `"`, `#`, `<`, `>` and `\`.
  var isTarget: Bool {
    let bits: UInt64 = self < 64 ? 0xaffffff2_00000000 : 0x7fffffff_efffffff
    return self < 128 && bits >> UInt64(self & 63) & 1 != 0
  }

  /// Whether it may be a part of a host's name: letters, digits and !$%&'()*+,-.;=_~.
  var isHostName: Bool {
    let bits: UInt64 = self < 64 ? 0x2bff_7ff2_0000_0000 : 0x47ff_fffe_87ff_fffe
    return self < 128 && bits >> UInt64(self & 63) & 1 != 0
  }

  /// The value of a hexadecimal digit.
  var hexadecimal: Int? {
    switch self {
    case 0x30...0x39: Int(self) - 0x30
    case 0x41...0x46, 0x61...0x66: Int(self | 0x20) - 0x57
    default: nil
    }
  }
}

extension Span<UInt8> {
  /// Whether these bytes are exactly a name of ASCII.
  func isEqual(_ range: Range<Int>, _ name: StaticString) -> Bool {
    guard range.count == name.utf8CodeUnitCount else { return false }
    return name.withUTF8Buffer { name in
      for index in 0..<name.count where self[range.lowerBound + index] != name[index] { return false }
      return true
    }
  }

  /// Whether these bytes are a word, in capitals or not.
  ///
  /// - Parameters:
  ///   - range: The bytes.
  ///   - word: ASCII in small letters.
  func isWord(_ range: Range<Int>, _ word: StaticString) -> Bool {
    guard range.count == word.utf8CodeUnitCount else { return false }
    return word.withUTF8Buffer { word in
      for index in 0..<word.count where !Self.matches(self[range.lowerBound + index], word[index]) {
        return false
      }
      return true
    }
  }

  private static func matches(_ byte: UInt8, _ small: UInt8) -> Bool {
    byte == small || (byte | 0x20 == small && small &- 0x61 < 26)
  }

  /// Without the blanks around it.
  func trimmed(_ range: Range<Int>) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, self[start].isBlank { start += 1 }
    while start < end, self[end - 1].isBlank { end -= 1 }
    return start..<end
  }

  /// Calls `body` with each element of a list that commas separate, without the blanks around it. Empty
  /// elements are left out, as RFC 9110, 5.6.1 says.
  func forEachElement(of range: Range<Int>, _ body: (Range<Int>) -> Void) {
    var start = range.lowerBound
    for index in range.lowerBound...range.upperBound
    where index == range.upperBound || self[index] == UInt8(ascii: ",") {
      let element = trimmed(start..<index)
      if !element.isEmpty { body(element) }
      start = index + 1
    }
  }
}
#endif
