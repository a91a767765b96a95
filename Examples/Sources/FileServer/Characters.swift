import UV

/// The characters of HTTP.
extension UInt8 {
  static let tab: UInt8 = 9
  static let lineFeed: UInt8 = 10
  static let carriageReturn: UInt8 = 13
  static let space: UInt8 = 32

  var isBlank: Bool { self == .space || self == .tab }

  /// Whether it may be a part of a name: letters, digits and !#$%&'*+-.^_`|~, a bit for each.
  var isToken: Bool {
    let bits: UInt64 = self < 64 ? 0x03ff_6cfa_0000_0000 : 0x57ff_ffff_c7ff_fffe
    return self < 128 && bits >> UInt64(self & 63) & 1 != 0
  }

  /// The value of a hexadecimal digit.
  var hexadecimal: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

extension Bytes {
  /// Whether this is a name, in capitals or not.
  ///
  /// - Parameter name: A token in small letters.
  func isField(_ name: Bytes) -> Bool {
    guard count == name.count else { return false }
    let (these, others) = (span, name.span)
    // The bit makes a small letter of a capital one, and leaves digits and hyphens as they are.
    for index in 0..<count where these[index] | 0x20 != others[index] { return false }
    return true
  }

  /// The number that the bytes spell, without a sign; nil if they spell none.
  var number: Int? { allSatisfy { 0x30...0x39 ~= $0 } ? decimal : nil }

  /// Without the blanks around it.
  var trimmed: Bytes {
    guard let first = firstIndex(where: { !$0.isBlank }), let last = lastIndex(where: { !$0.isBlank }) else {
      return Bytes()
    }
    return Bytes(self[first...last])
  }
}
