#if HTTP || Everything
import UV

/// A proxy: a server that sends requests on, or opens a tunnel.
///
/// Requests for `https` go through a tunnel, which the method CONNECT opens, and so do requests for another protocol, such
/// as WebSocket. Others are sent to the proxy with their whole URL, since many proxies open tunnels to the port of
/// `https` alone.
///
/// RFC 9112, 3.2.2, and RFC 9110, 9.3.6, say what a proxy gets.
public struct HTTPProxy: Sendable {
  /// The name or the address of the proxy.
  public var host: String
  /// The port of the proxy, 1…65535.
  public var port: Int
  /// The value of the field `Proxy-Authorization`; nil for a proxy that asks for none. Line ends in it become
  /// blanks.
  public var authorization: String?
  /// Whether requests without TLS go through a tunnel, too. By default they don't.
  public var tunnelsAll = false

  /// A proxy at a host and a port.
  ///
  /// - Parameters:
  ///   - host: The name or the address of the proxy.
  ///   - port: 1…65535.
  ///   - authorization: The value of `Proxy-Authorization`, such as `"Basic dXNlcjpwYXNz"`; nil for none.
  public init(host: String, port: Int, authorization: String? = nil) {
    (self.host, self.port, self.authorization) = (host, port, authorization)
  }

  /// The proxy at a URL, as the environment's variables name it.
  ///
  /// - Parameter url: `http://HOST:PORT`, with `USER:PASSWORD@` before the host or not. Without a scheme it is the same;
  ///   without a port it is 80. Text after the port doesn't count. Percent signs encode characters of the user and the
  ///   password.
  /// - Throws: `notSupported` for another scheme, such as `https` or `socks5`, and `invalidArgument` if it is no URL.
  public init(url: String) throws(UVError) {
    func fault(_ code: UVError.Code, _ message: String) -> UVError {
      // Not the whole URL, which may have a password.
      UVError(code, operation: "proxy", message: message)
    }
    var rest = url[...]
    if let scheme = rest.firstRange(of: "://") {
      let name = rest[..<scheme.lowerBound].lowercased()
      guard name == "http" else {
        throw fault(.notSupported, "a proxy of the scheme \(name): only http is known")
      }
      rest = rest[scheme.upperBound...]
    }
    rest = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    var authorization: String?
    if let sign = rest.lastIndex(of: "@") {
      authorization = UserInformation.authorization(rest[..<sign])
      if authorization == nil { throw fault(.invalidArgument, "the proxy's user isn't one") }
      rest = rest[rest.index(after: sign)...]
    }
    guard let origin = HTTPOrigin(scheme: "http", authority: String(rest)) else {
      throw fault(.invalidArgument, "the proxy isn't a host with or without a port")
    }
    self.init(host: origin.host, port: origin.port, authorization: authorization)
  }
}

extension HTTPClientOptions {
  /// Takes the proxies that the environment's variables name, as curl and other programs do. A client doesn't by itself:
  /// whoever sets the environment then sees what it asks for.
  ///
  /// ```swift
  /// var options = HTTPClientOptions()
  /// try options.takeProxies()
  /// ```
  ///
  /// `http_proxy` and `https_proxy` name a proxy each, and `all_proxy` the one where these don't; `no_proxy` names the hosts
  /// without one, with commas or blanks between. All but `http_proxy` may be in capitals, too: in a program that a web
  /// server starts by CGI, `HTTP_PROXY` is what the client has sent as its field `Proxy`. A variable that is empty names
  /// none.
  ///
  /// - Parameter variables: The variables; by default those of this process.
  /// - Throws: The errors of ``HTTPProxy/init(url:)``, and `outOfMemory`. The options stay as they were then.
  public mutating func takeProxies(from variables: [String: String]? = nil) throws(UVError) {
    let variables = if let variables { variables } else { try Environment.all() }
    func value(_ name: String) -> String? {
      let value = variables[name] ?? (name == "http_proxy" ? nil : variables[name.uppercased()])
      return value?.isEmpty == true ? nil : value
    }
    func proxy(_ name: String) throws(UVError) -> HTTPProxy? {
      guard let url = value(name) ?? value("all_proxy") else { return nil }
      return try HTTPProxy(url: url)
    }
    let (plain, secure) = (try proxy("http_proxy"), try proxy("https_proxy"))
    let direct = (value("no_proxy") ?? "").split { $0 == "," || $0 == " " || $0 == "\t" }.map(String.init)
    (self.proxy, secureProxy, self.direct) = (plain, secure, direct)
    // `proxy` alone would be for https, too.
    isPlainProxyOnly = plain != nil && secure == nil
  }

  /// The proxy for an origin; nil if its server is asked directly.
  func proxy(for origin: HTTPOrigin) -> HTTPProxy? {
    let proxy = origin.isSecure ? secureProxy ?? (isPlainProxyOnly ? nil : proxy) : proxy
    return proxy == nil || direct.contains { Self.names($0, origin) } ? nil : proxy
  }

  /// The proxy that gets requests for an origin as they are, and not through a tunnel.
  func forwardingProxy(for origin: HTTPOrigin) -> HTTPProxy? {
    if origin.isSecure || origin.isTunnelled { return nil }
    guard let proxy = proxy(for: origin), !proxy.tunnelsAll else { return nil }
    return proxy
  }

  /// Whether an element of ``direct`` stands for an origin.
  private static func names(_ element: String, _ origin: HTTPOrigin) -> Bool {
    if element == "*" { return true }
    if let range = try? AddressRange(element) {
      guard let address = try? SocketAddress(origin.host, port: 0) else { return false }
      return range.contains(address)
    }
    // A dot before the name means the same as none.
    let text =
      element.hasPrefix("*.")
      ? element.dropFirst(2) : element.hasPrefix(".") ? element.dropFirst() : element[...]
    guard let named = HTTPOrigin(scheme: "http", authority: String(text)) else { return false }
    let hasPort = text.last?.isNumber == true && text.contains(":") && !text.hasSuffix("]")
    if hasPort, named.port != origin.port { return false }
    return origin.host == named.host || origin.host.hasSuffix("." + named.host)
  }
}
#endif
