#if HTTP || Everything
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

  /// Whether bytes are an address of IPv6: eight groups of one to four hexadecimal digits, of which `::` stands for
  /// one or more that are zero, once at most. An address of IPv4 may stand for the last two.
  private static func isAddress(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    let (colon, end) = (UInt8(ascii: ":"), range.upperBound)
    var position = range.lowerBound
    var (groups, hasGap) = (0, false)
    if position + 1 < end, bytes[position] == colon, bytes[position + 1] == colon {
      (hasGap, position) = (true, position + 2)
    }
    while position < end {
      let start = position
      while position < end, bytes[position].hexadecimal != nil { position += 1 }
      if position < end, bytes[position] == UInt8(ascii: ".") {
        guard isFourNumbers(bytes, start..<end) else { return false }
        (groups, position) = (groups + 2, end)
        break
      }
      guard 1...4 ~= position - start else { return false }
      groups += 1
      if position == end { break }
      guard bytes[position] == colon, position + 1 < end else { return false }
      position += 1
      if bytes[position] == colon {
        if hasGap { return false }
        (hasGap, position) = (true, position + 1)
      }
    }
    return hasGap ? groups <= 7 : groups == 8
  }

  /// Whether bytes are an address of IPv4: four numbers up to 255, without zeros before them.
  private static func isFourNumbers(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    var (count, number, digits) = (1, 0, 0)
    for index in range {
      if bytes[index] == UInt8(ascii: ".") {
        if digits == 0 { return false }
        (count, number, digits) = (count + 1, 0, 0)
        continue
      }
      if !bytes[index].isDigit || digits == 1 && number == 0 { return false }
      (number, digits) = (number * 10 + Int(bytes[index] &- 0x30), digits + 1)
      if number > 255 { return false }
    }
    return count == 4 && digits > 0
  }
}
#endif
