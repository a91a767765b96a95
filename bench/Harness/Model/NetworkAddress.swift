/// A machine and a port, as `HOST:PORT` or `[HOST]:PORT`.
public struct NetworkAddress: Hashable, Sendable, CustomStringConvertible {
  /// A name, or an address of IPv4 or IPv6.
  public var host: String
  public var port: UInt16

  public init(host: String, port: UInt16) { (self.host, self.port) = (host, port) }

  /// Reads it; without a port it has `port`, and is nothing where that is nil.
  public init?(_ text: String, port: UInt16? = nil) {
    var host = text[...]
    var number = port
    let afterBracket = text.hasPrefix("[") ? text.firstIndex(of: "]") : nil
    let colon = text[(afterBracket ?? text.startIndex)...].lastIndex(of: ":")
    if let colon {
      host = text[..<colon]
      number = UInt16(text[text.index(after: colon)...])
    }
    if afterBracket != nil {
      guard host.last == "]" else { return nil }
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    guard let number, !host.isEmpty, !host.contains(where: \.isWhitespace) else { return nil }
    self.init(host: String(host), port: number)
  }

  public var description: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}
