#if HTTP || Everything
import HTTPTypes
import UV

/// A cookie: a short text that a server has asked its client to send with further requests (RFC 6265).
public struct HTTPCookie: Hashable, Sendable {
  /// The name.
  public let name: String
  /// The value, as the server has written it.
  public let value: String
  /// The host that gets it, in small letters, without a dot before it.
  public let domain: String
  /// Whether the hosts below ``domain`` get it, too.
  public let isForSubdomains: Bool
  /// The path that the request's path begins with.
  public let path: String
  /// Whether it is sent by `https` alone.
  public let isSecure: Bool
  /// When it ends; nil if that is with the jar.
  public let expiry: HTTPDate?

  /// The cookie that a field `Set-Cookie` sets; nil if it is none, or if the request's host may not set it.
  ///
  /// - Parameter now: The time now.
  init?(_ field: String, from origin: HTTPOrigin, path requestPath: String, now: HTTPDate) {
    let parts = field.split(separator: ";", omittingEmptySubsequences: false).map(\.trimmed)
    guard let equals = parts[0].firstIndex(of: "="), parts[0].utf8.count <= 4096 else { return nil }
    name = String(parts[0][..<equals].trimmed)
    value = String(parts[0][parts[0].index(after: equals)...].trimmed)
    // A server can't write others into a field, but a jar may get them otherwise.
    guard !name.isEmpty, field.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { return nil }
    var attributes: [String: Substring] = [:]
    for part in parts.dropFirst() {
      let equals = part.firstIndex(of: "=") ?? part.endIndex
      // The last one counts.
      attributes[part[..<equals].trimmed.lowercased()] = part[equals...].dropFirst().trimmed
    }
    guard let (domain, isWide) = Self.domain(attributes["domain"], of: origin.host) else { return nil }
    (self.domain, isForSubdomains) = (domain, isWide)
    let path = attributes["path"].map(String.init) ?? ""
    self.path = path.hasPrefix("/") ? path : Self.folder(of: requestPath)
    isSecure = attributes["secure"] != nil
    expiry = Self.expiry(attributes, now)
    if isSecure, !origin.isSecure { return nil }
    // A server relies on these names (RFC 6265bis, 4.1.3).
    let prefix = name.lowercased()
    if prefix.hasPrefix("__secure-") || prefix.hasPrefix("__host-"), !isSecure { return nil }
    if prefix.hasPrefix("__host-"), isForSubdomains || path != "/" { return nil }
  }

  /// The host that gets a cookie, and whether those below it do (RFC 6265, 5.2.3 and 5.3); nil if a host may not set it.
  private static func domain(_ attribute: Substring?, of host: String) -> (String, Bool)? {
    let domain = (attribute ?? "").drop { $0 == "." }.lowercased()
    if domain.isEmpty { return (host, false) }
    // A name without a dot has more owners than one. Who owns `co.uk` only a list could say, which would have to be kept.
    if !domain.contains(".") { return domain == host ? (host, false) : nil }
    if host == domain { return (host, !isAddress(host)) }
    return host.hasSuffix("." + domain) && !isAddress(host) ? (domain, true) : nil
  }

  /// Whether a host is no name, below which there could be others.
  static func isAddress(_ host: String) -> Bool { (try? SocketAddress(host, port: 0)) != nil }

  /// The path of a cookie that names none: that of the request up to its last slash (RFC 6265, 5.1.4).
  private static func folder(of path: String) -> String {
    let path = path.prefix { $0 != "?" }
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
    return String(path[..<slash])
  }

  private static func expiry(_ attributes: [String: Substring], _ now: HTTPDate) -> HTTPDate? {
    if let age = attributes["max-age"], let first = age.utf8.first,
      first == UInt8(ascii: "-") || first.isDigit, age.utf8.dropFirst().allSatisfy(\.isDigit)
    {
      // A number that is too large for this type is later than any date.
      let seconds = first.isDigit ? Int64(age) ?? .max : 0
      return HTTPDate(
        since1970: .seconds(
          Int64(now.secondsSince1970).addingReportingOverflow(seconds).overflow
            ? .max : Int64(now.secondsSince1970) + seconds))
    }
    return attributes["expires"].flatMap { HTTPDate(String($0)) }
  }

  /// Whether a request gets it.
  func isFor(_ origin: HTTPOrigin, _ target: String) -> Bool {
    guard origin.host == domain || isForSubdomains, !isSecure || origin.isSecure else { return false }
    let target = target.prefix { $0 != "?" }
    guard target.hasPrefix(path) else { return false }
    return path.hasSuffix("/") || target.utf8.count == path.utf8.count
      || target.dropFirst(path.count).first == "/"
  }

  /// Whether it takes the other's place.
  func replaces(_ other: HTTPCookie) -> Bool {
    name == other.name && path == other.path && isForSubdomains == other.isForSubdomains
  }
}
#endif
