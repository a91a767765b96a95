#if HTTP || Everything
/// The part of a URL that names a user: `USER:PASSWORD` before an `@` (RFC 3986, 3.2.1).
enum UserInformation {
  /// The value of `Authorization` for it (RFC 7617, 2); nil if a percent sign in it encodes no byte.
  static func authorization(_ text: Substring) -> String? {
    guard let user = decoded(text) else { return nil }
    // Without a colon it is a user without a password.
    return "Basic "
      + HandshakeKey.base64(user.contains(UInt8(ascii: ":")) ? user : user + [UInt8(ascii: ":")])
  }

  /// Text whose percent signs encode bytes; nil if one doesn't.
  private static func decoded(_ text: Substring) -> [UInt8]? {
    let text = Array(text.utf8)
    var (bytes, place): ([UInt8], Int) = ([], 0)
    while place < text.count {
      if text[place] != UInt8(ascii: "%") {
        bytes.append(text[place])
        place += 1
        continue
      }
      guard place + 2 < text.count, let high = text[place + 1].hexadecimal,
        let low = text[place + 2].hexadecimal
      else { return nil }
      bytes.append(UInt8(high << 4 | low))
      place += 3
    }
    return bytes
  }
}
#endif
