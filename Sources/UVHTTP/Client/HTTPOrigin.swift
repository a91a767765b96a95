import HTTPTypes
import UV

/// Where requests go that may share connections (RFC 9110, 4.3.1).
struct HTTPOrigin: Hashable {
  let isSecure: Bool
  /// In small letters, without brackets.
  let host: String
  let port: Int

  /// - Returns: Nil if the scheme isn't HTTP's, or the authority isn't a host with or without a port.
  init?(scheme: String, authority: String) {
    switch Self.smallLetters(scheme[...]) {
    case "http": isSecure = false
    case "https": isSecure = true
    default: return nil
    }
    let bytes = authority.utf8
    guard Authority.isValid(bytes.span, 0..<bytes.count) else { return nil }
    var host = authority[...]
    var port: Substring = ""
    // The colons of an address are within brackets.
    if let colon = bytes.lastIndex(of: UInt8(ascii: ":")), !bytes[colon...].contains(UInt8(ascii: "]")) {
      (host, port) = (authority[..<colon], authority[bytes.index(after: colon)...])
    }
    if host.utf8.first == UInt8(ascii: "[") { host = host.dropFirst().dropLast() }
    guard let number = port.isEmpty ? (isSecure ? 443 : 80) : Int(port), 1...65535 ~= number else {
      return nil
    }
    self.host = Self.smallLetters(host)
    self.port = number
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
  /// It is nil if the URL isn't one of `http` or `https`, names a user, or has a character that must be encoded.
  /// A fragment is left out, since servers don't get it.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - url: The URL, such as `"https://example.com/a?b=c"`.
  ///   - headerFields: The fields.
  ///
  /// The source is RFC 9110, 4.2.
  public init?(method: HTTPRequest.Method = .get, url: String, headerFields: HTTPFields = [:]) {
    // By bytes: characters would be found by Unicode's rules, which takes long.
    let bytes = url.utf8
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
      return nil
    }
    let start = bytes.index(colon, offsetBy: 3)
    let end = bytes[start...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
    let pathStart =
      bytes[start..<end].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? end
    let scheme = HTTPOrigin.smallLetters(url[..<colon])
    let authority = url[start..<pathStart]
    let rest = url[pathStart..<end]
    let path = rest.utf8.first == UInt8(ascii: "/") ? String(rest) : "/" + rest
    self.init(
      method: method, scheme: scheme, authority: String(authority), path: path, headerFields: headerFields)
    guard origin != nil, hasValidPath else { return nil }
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
    return path.utf8.allSatisfy(\.isTarget)
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
    return at("\(scheme)://\(authority)" + Self.withoutDots(target))
  }

  /// The same request at another URL.
  private func at(_ url: String) -> HTTPRequest? {
    HTTPRequest(method: method, url: url, headerFields: headerFields)
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
