/// A host and a port, as they stand in options and in requests of CONNECT: `example.com:443`, `10.0.0.1:80`,
/// `[::1]:8080`.
///
/// ```swift
/// guard let server = HostPort("example.com:443") else { … }
/// let connection = try await loop.tcp.connect(host: server.host, port: server.port).value
/// ```
///
/// RFC 3986, 3.2.2 and 3.2.3, say how it is written.
public struct HostPort: Hashable, Sendable, LosslessStringConvertible {
  /// A name or an address, which has no brackets.
  public let host: String
  /// The port, 1…65535.
  public let port: Int

  /// - Parameter text: `HOST:PORT`. An IPv6 address has to be in brackets.
  /// - Returns: nil if the text has another form, or the port is 0 or more than 65535.
  public init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":") else { return nil }
    let digits = text[text.index(after: colon)...]
    guard digits.utf8.allSatisfy({ 48...57 ~= $0 }), let port = Int(digits), 1...65535 ~= port else {
      return nil
    }
    var host = text[..<colon]
    let isBracketed = host.first == "[" && host.last == "]"
    if isBracketed { host = host.dropFirst().dropLast() }
    guard !host.isEmpty, !host.contains(where: { "[] /@".contains($0) }), host.contains(":") == isBracketed
    else { return nil }
    (self.host, self.port) = (String(host), port)
  }

  /// `HOST:PORT`.
  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
