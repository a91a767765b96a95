#if HTTP || Everything
import HTTPTypes
import UV

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The cookies that an ``HTTPClient`` has been given, and sends back.
///
/// ```swift
/// let client = HTTPClient(loop, cookies: HTTPCookieJar())
/// _ = try await client.send(signIn).value
/// let mine = try await client.get("https://example.com/mine").value  // signed in
/// ```
///
/// A request that has a field `Cookie` of its own, and what it is redirected to, gets none of the jar's.
///
/// A jar keeps to RFC 6265: a cookie goes to the host that has set it, or to its domain, below its path, and until its time
/// is over. It has no list of the names below which anybody can register one, such as `co.uk`. So a host below such a name can
/// set cookies for the others there; a name without a dot is refused. Don't share a jar between servers that don't trust
/// each other. It ignores attributes that are for pages in browsers, such as `SameSite`.
///
/// A jar holds 50 cookies for a domain and 3,000 in all, and gives up the oldest. It lives in memory alone. Several clients of
/// one thread may have the same jar.
public final class HTTPCookieJar {
  private static var mostOfDomain: Int { 50 }
  private static var most: Int { 3000 }

  /// In each domain in the order in which they were set first.
  private var domains: [String: [(number: Int, cookie: HTTPCookie)]] = [:]
  private var last = 0
  private var count = 0
  /// The time now; a test has its own.
  var now: () -> HTTPDate = { HTTPDate(since1970: .seconds(time(nil))) }

  /// An empty jar.
  public init() {}

  /// The cookies that haven't ended, the oldest first. Complexity: O(*n* log *n*).
  public var cookies: [HTTPCookie] {
    let now = now()
    return domains.values.joined().filter { !Self.hasEnded($0.cookie, now) }.sorted { $0.number < $1.number }
      .map(\.cookie)
  }

  /// Removes the cookies of a domain, or all.
  ///
  /// - Parameter domain: The ``HTTPCookie/domain`` of the cookies; nil for all.
  public func removeAll(ofDomain domain: String? = nil) {
    if let domain { domains[domain.lowercased()] = nil } else { domains = [:] }
    count = domains.values.reduce(0) { $0 + $1.count }
  }

  private static func hasEnded(_ cookie: HTTPCookie, _ now: HTTPDate) -> Bool {
    cookie.expiry.map { $0 <= now } ?? false
  }

  // MARK: What clients do

  /// The field `Cookie` for a request: longer paths first, then older ones (RFC 6265, 5.4); nil if there is none.
  func field(for request: HTTPRequest) -> String? {
    if domains.isEmpty { return nil }
    guard let origin = request.origin, let target = request.path else { return nil }
    let now = now()
    var found: [(number: Int, cookie: HTTPCookie)] = []
    var name = origin.host[...]
    while true {
      for one in domains[String(name)] ?? []
      where one.cookie.isFor(origin, target) && !Self.hasEnded(one.cookie, now) {
        found.append(one)
      }
      guard !HTTPCookie.isAddress(origin.host), let dot = name.firstIndex(of: ".") else { break }
      name = name[name.index(after: dot)...]
    }
    found.sort { ($1.cookie.path.utf8.count, $0.number) < ($0.cookie.path.utf8.count, $1.number) }
    return found.isEmpty ? nil : found.map { "\($0.cookie.name)=\($0.cookie.value)" }.joined(separator: "; ")
  }

  /// Takes the cookies of an answer.
  func take(_ fields: HTTPFields, for request: HTTPRequest) {
    let values = fields[values: .setCookie]
    guard !values.isEmpty, let origin = request.origin else { return }
    let now = now()
    for value in values {
      if let cookie = HTTPCookie(value, from: origin, path: request.path ?? "/", now: now) {
        set(cookie, isSecure: origin.isSecure, now)
      }
    }
  }

  private func set(_ cookie: HTTPCookie, isSecure: Bool, _ now: HTTPDate) {
    var domain = domains[cookie.domain] ?? []
    let before = domain.count
    let index = domain.firstIndex { cookie.replaces($0.cookie) }
    // An answer without TLS must not replace it: somebody on the way may have made it.
    if let index, domain[index].cookie.isSecure, !isSecure { return }
    switch (index, Self.hasEnded(cookie, now)) {
    case (let index?, true): domain.remove(at: index)
    case (let index?, false): domain[index].cookie = cookie
    case (nil, true): return
    case (nil, false):
      last += 1
      domain.append((last, cookie))
    }
    if domain.count > Self.mostOfDomain { domain.removeAll { Self.hasEnded($0.cookie, now) } }
    if domain.count > Self.mostOfDomain { domain.removeFirst() }
    domains[cookie.domain] = domain.isEmpty ? nil : domain
    count += domain.count - before
    if count > Self.most { removeOldest() }
  }

  private func removeOldest() {
    guard let oldest = domains.min(by: { $0.value[0].number < $1.value[0].number })?.key else { return }
    domains[oldest]!.removeFirst()
    if domains[oldest]!.isEmpty { domains[oldest] = nil }
    count -= 1
  }
}

extension OutgoingRequest {
  /// The request with the cookies of a jar.
  func with(_ jar: HTTPCookieJar) -> OutgoingRequest {
    guard let field = jar.field(for: request) else { return self }
    var request = request
    // One field: by its name alone, the type would make one of each cookie.
    request.headerFields[fields: .cookie] = [HTTPField(name: .cookie, value: field)]
    return changed(to: request, body)
  }
}
#endif
