#if HTTP || Everything
import HTTPTypes
import UV

/// Where requests go that may share connections (RFC 9110, 4.3.1).
struct HTTPOrigin: Hashable {
  let isSecure: Bool
  /// In small letters, without brackets.
  let host: String
  let port: Int
  /// Whether requests without TLS need a tunnel through the proxy, because they ask for another protocol.
  var isTunnelled = false

  /// - Returns: Nil if the scheme isn't HTTP's, or the authority isn't a host with or without a port.
  init?(scheme: String, authority: String) {
    switch Self.smallLetters(scheme[...]) {
    case "http": isSecure = false
    case "https": isSecure = true
    default: return nil
    }
    guard let (range, port) = Self.parts(of: authority.utf8.span) else { return nil }
    host = Self.smallLetters(authority[bytes: range])
    self.port = port ?? (isSecure ? 443 : 80)
  }

  /// Whether there can be an origin of that scheme, in small letters, and authority.
  static func isValid(scheme: String, authority: String) -> Bool {
    (scheme == "http" || scheme == "https") && parts(of: authority.utf8.span) != nil
  }

  /// Where the host is, without brackets, and the port, if there is one; nil if the authority isn't one.
  private static func parts(of bytes: Span<UInt8>) -> (host: Range<Int>, port: Int?)? {
    guard Authority.isValid(bytes, 0..<bytes.count) else { return nil }
    var end = bytes.count
    while end > 0, bytes[end - 1].isDigit { end -= 1 }
    var port: Int?
    if end > 0, bytes[end - 1] == UInt8(ascii: ":") {
      if end < bytes.count {
        let number = (end..<bytes.count).reduce(0) { min($0 * 10 + Int(bytes[$1] - 0x30), 65536) }
        guard 1...65535 ~= number else { return nil }
        port = number
      }
      end -= 1
    } else {
      end = bytes.count
    }
    return (bytes[0] == UInt8(ascii: "[") ? 1..<end - 1 : 0..<end, port)
  }

  /// The text in small letters, which it most often has already.
  static func smallLetters(_ text: Substring) -> String {
    text.utf8.contains { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 } ? text.lowercased() : String(text)
  }

  /// The authority of CONNECT, which always has a port.
  var authority: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }
}

extension HTTPRequest {
  /// Makes the request for a URL, to be sent by an ``HTTPClient``.
  ///
  /// It is nil if the URL isn't one of `http` or `https`, or has a character that must be encoded. A fragment is left
  /// out, since servers don't get it. A user in the URL, `USER:PASSWORD@` before the host, whose characters may be
  /// encoded by percent signs, becomes the field `Authorization: Basic …` (RFC 7617), unless there is such a field. It is
  /// not a part of the authority.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - url: The URL, such as `"https://example.com/a?b=c"`.
  ///   - headerFields: The fields.
  ///
  /// The source is RFC 9110, 4.2.
  public init?(method: HTTPRequest.Method = .get, url: String, headerFields: HTTPFields = [:]) {
    self.init(method, url, headerFields, mayNameUser: true)
  }

  /// - Parameter mayNameUser: Whether a user in the URL is taken. A server doesn't choose as which user others are
  ///   asked.
  fileprivate init?(
    _ method: HTTPRequest.Method, _ url: String, _ headerFields: HTTPFields, mayNameUser: Bool
  ) {
    // By bytes: characters would be found by Unicode's rules, which takes long.
    let bytes = url.utf8.span
    let (slash, question, hash) = (UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"))
    var colon = 0
    while colon < bytes.count, bytes[colon] != UInt8(ascii: ":") { colon += 1 }
    guard colon + 2 < bytes.count, bytes[colon + 1] == slash, bytes[colon + 2] == slash else { return nil }
    var (pathStart, host) = (colon + 3, colon + 3)
    while pathStart < bytes.count, bytes[pathStart] != slash, bytes[pathStart] != question,
      bytes[pathStart] != hash
    {
      if bytes[pathStart] == UInt8(ascii: "@") { host = pathStart + 1 }
      pathStart += 1
    }
    var end = pathStart
    while end < bytes.count, bytes[end] != hash { end += 1 }
    let isUsual = url.hasPrefix("http:")
    let scheme = isUsual ? "http" : HTTPOrigin.smallLetters(url[bytes: 0..<colon])
    let authority = String(url[bytes: host..<pathStart])
    let rest = url[bytes: pathStart..<end]
    let path = pathStart < end && bytes[pathStart] == slash ? String(rest) : "/" + rest
    self.init(
      method: method, scheme: scheme, authority: authority, path: path, headerFields: headerFields)
    guard HTTPOrigin.isValid(scheme: scheme, authority: authority), path.isTarget else { return nil }
    if host == colon + 3 { return }
    let user = url[bytes: colon + 3..<host - 1]
    guard mayNameUser, String(user).isTarget, let value = UserInformation.authorization(user) else {
      return nil
    }
    if !user.isEmpty, headerFields[.authorization] == nil { self.headerFields[.authorization] = value }
  }

  /// Nil if the request says too little, or something that can't be.
  var origin: HTTPOrigin? {
    guard let scheme, let authority else { return nil }
    return HTTPOrigin(scheme: scheme, authority: authority)
  }

  /// Whether the path can be sent as it is, so that it can't end the request line.
  var hasValidPath: Bool {
    guard let path, path.utf8.first == UInt8(ascii: "/") || path == "*" && method == .options else {
      return false
    }
    return path.isTarget
  }

  /// The request for a reference that is relative to this one's URL (RFC 3986, 5.2).
  func following(_ reference: String) -> HTTPRequest? {
    let reference = String(reference.prefix { $0 != "#" })
    let hasScheme = reference.prefix { $0 != "/" && $0 != "?" }.contains(":")
    if hasScheme, reference.contains("://") { return at(reference) }
    guard !hasScheme, let scheme, let authority, let path else { return nil }
    if reference.hasPrefix("//") { return at(scheme + ":" + reference) }
    let here = path.prefix { $0 != "?" }
    let target: String
    if reference.hasPrefix("/") {
      target = reference
    } else if reference.isEmpty {
      target = path
    } else if reference.hasPrefix("?") {
      target = here + reference
    } else {
      target = here[...(here.lastIndex(of: "/") ?? here.startIndex)] + reference
    }
    return at("\(scheme)://\(authority)\(target)")
  }

  /// The same request at another URL.
  private func at(_ url: String) -> HTTPRequest? {
    guard var request = HTTPRequest(method, url, headerFields, mayNameUser: false) else { return nil }
    request.path = Self.withoutDots(request.path ?? "/")
    return request
  }

  /// A path without `.` and `..` (RFC 3986, 5.2.4).
  static func withoutDots(_ target: String) -> String {
    let path = target.prefix { $0 != "?" }
    var segments: [Substring] = []
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    for (index, part) in parts.enumerated() {
      let isLast = index == parts.count - 1
      switch part {
      case ".": if isLast { segments.append("") }
      case "..":
        _ = segments.popLast()
        if isLast { segments.append("") }
      default: segments.append(part)
      }
    }
    return "/" + segments.joined(separator: "/") + target[path.endIndex...]
  }
}

extension String {
  /// The text at a range of bytes.
  fileprivate subscript(bytes range: Range<Int>) -> Substring {
    let start = utf8.index(startIndex, offsetBy: range.lowerBound)
    return self[start..<utf8.index(start, offsetBy: range.count)]
  }

  /// Whether all bytes may stand in a target.
  fileprivate var isTarget: Bool {
    let bytes = utf8.span
    for place in 0..<bytes.count where !bytes[place].isTarget { return false }
    return true
  }
}
#endif
