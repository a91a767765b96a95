#if HTTP || Everything
import HTTPTypes
import UV
import UVHTTP

/// Decides who may see a page, and keeps other pages in the browser from it.
struct DiagnosticsAccess {
  private let token: [UInt8]
  private let hosts: Set<String>

  init(_ token: String, _ hosts: [String]) throws(UVError) {
    guard token.utf8.count >= 16, token.utf8.allSatisfy(Self.isPlain) else {
      throw UVError(
        .invalidArgument, operation: "diagnostics",
        subject: "a token with less than 16 characters, or with others than letters, digits and -._~")
    }
    self.token = Array(token.utf8)
    self.hosts = Set(hosts.map { $0.lowercased() } + ["localhost"])
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~".utf8.contains(byte)
    }
  }

  /// The answer to a request that isn't allowed; nil if it is.
  func refusal(of request: HTTPRequest) -> (response: HTTPResponse, text: Bytes)? {
    guard isKnown(host: request.authority ?? "") else {
      return (response(.misdirectedRequest), "This host's name isn't one of the page's `hosts`.\n")
    }
    guard isRight(Self.credentials(of: request)) else {
      var response = response(.unauthorized)
      response.headerFields[.wwwAuthenticate] = "Bearer"
      return (response, "The token is missing or wrong: ?token=TOKEN, or Authorization: Bearer TOKEN.\n")
    }
    guard request.method == .get || request.method == .head else {
      var response = response(.methodNotAllowed)
      response.headerFields[.allow] = "GET, HEAD"
      return (response, "")
    }
    return nil
  }

  /// A site can have its own name lead to this machine, and its script in a browser then reaches the page by that
  /// name. It can't do so by an address, nor by a name that isn't its own.
  private func isKnown(host authority: String) -> Bool {
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else { return false }
      return
        (try? SocketAddress(String(authority[authority.index(after: authority.startIndex)..<end]), port: 0))
        != nil
    }
    let host = authority.prefix { $0 != ":" }.lowercased()
    return hosts.contains(host) || (try? SocketAddress(host, port: 0)) != nil
  }

  private static func credentials(of request: HTTPRequest) -> Substring? {
    if let field = request.headerFields[.authorization] {
      let parts = field.split(separator: " ")
      return parts.count == 2 && parts[0].lowercased() == "bearer" ? parts[1] : nil
    }
    guard let path = request.path, let query = path.firstIndex(of: "?") else { return nil }
    return path[path.index(after: query)...].split(separator: "&").first { $0.hasPrefix("token=") }?
      .dropFirst(6)
  }

  /// Takes as long whichever of the characters is wrong.
  private func isRight(_ credentials: Substring?) -> Bool {
    guard let given = credentials?.utf8, given.count == token.count else { return false }
    return zip(given, token).reduce(0 as UInt8) { $0 | $1.0 ^ $1.1 } == 0
  }

  // MARK: Answers

  /// An answer that nobody keeps, and that no other site may use.
  func response(_ status: HTTPResponse.Status) -> HTTPResponse {
    var response = HTTPResponse(status: status)
    response.headerFields[.cacheControl] = "no-store"
    response.headerFields[.contentType] = "text/plain; charset=utf-8"
    response.headerFields[.xContentTypeOptions] = "nosniff"
    response.headerFields[.contentSecurityPolicy] = "default-src 'none'; frame-ancestors 'none'"
    for (name, value) in Self.fields { response.headerFields[name] = value }
    return response
  }

  private static let fields = [
    (HTTPField.Name("Referrer-Policy")!, "no-referrer"),
    (HTTPField.Name("Cross-Origin-Resource-Policy")!, "same-origin"),
    (HTTPField.Name("Cross-Origin-Opener-Policy")!, "same-origin"),
  ]

  /// The answer with the page. It may run its own script, and ask this server alone.
  func page(_ nonce: String) -> HTTPResponse {
    var response = response(.ok)
    response.headerFields[.contentType] = "text/html; charset=utf-8"
    response.headerFields[.contentSecurityPolicy] = """
      default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; connect-src 'self'; \
      img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'
      """
    return response
  }

  /// Something that nobody can guess, for one page.
  static func nonce() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }
}
#endif
