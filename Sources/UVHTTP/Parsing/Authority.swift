import UV

/// The host and the port of a target, of a `Host` field and of CONNECT (RFC 3986, 3.2; without the name of a
/// user, which RFC 9110, 4.2.4 forbids).
enum Authority {
  /// Whether bytes are `host`, or `host:port`.
  ///
  /// - Parameters:
  ///   - allowsNoHost: Whether the host may be empty, as in a `Host` field of a target without an authority.
  ///   - needsPort: Whether there has to be a port, as in CONNECT.
  static func isValid(
    _ bytes: Span<UInt8>, _ range: Range<Int>, allowsNoHost: Bool = false, needsPort: Bool = false
  ) -> Bool {
    var position = range.lowerBound
    let end = range.upperBound
    if position == end { return allowsNoHost && !needsPort }
    if bytes[position] == UInt8(ascii: "[") {
      position += 1
      let start = position
      while position < end, bytes[position] != UInt8(ascii: "]") { position += 1 }
      guard position < end, isAddress(bytes, start..<position) else { return false }
      position += 1
    } else {
      while position < end, bytes[position].isHostName {
        if bytes[position] == UInt8(ascii: "%") {
          guard position + 2 < end, bytes[position + 1].hexadecimal != nil,
            bytes[position + 2].hexadecimal != nil
          else { return false }
        }
        position += 1
      }
      if position == range.lowerBound { return false }
    }
    if position == end { return !needsPort }
    guard bytes[position] == UInt8(ascii: ":") else { return false }
    let digits = position + 1
    if digits == end { return !needsPort }
    var port = 0
    for index in digits..<end {
      guard bytes[index].isDigit else { return false }
      port = min(port * 10 + Int(bytes[index] &- 0x30), 65536)
    }
    return port <= 65535
  }

  /// Whether bytes may be an address of IPv6 in brackets: hexadecimal digits, colons and dots, with two
  /// colons or more.
  private static func isAddress(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    var colons = 0
    for index in range {
      if bytes[index] == UInt8(ascii: ":") { colons += 1; continue }
      guard bytes[index].hexadecimal != nil || bytes[index] == UInt8(ascii: ".") else { return false }
    }
    return colons >= 2
  }
}
