#if HTTP || Everything
import HTTPTypes

extension HTTPFields {
  private static let ofConnection = [
    "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
    "proxy-connection", "te", "transfer-encoding", "upgrade",
  ].compactMap { HTTPField.Name($0) }

  /// The fields of a message as a proxy sends them on: without those that concern one connection alone, which are
  /// known or named by `Connection`, and with the proxy's name in `Via`.
  ///
  /// ``HTTPExchange/forward(changing:by:as:)`` does this by itself. Set fields of your own afterwards: what `Connection`
  /// names is for the sender to say.
  ///
  /// - Parameter name: The proxy's name: a host, or a word such as `gateway`.
  /// - Returns: The fields to send.
  ///
  /// RFC 9110, 7.6, says which fields these are.
  public func forwarded(as name: String) -> HTTPFields {
    var fields = self
    for option in elements(of: .connection) {
      if let name = HTTPField.Name(String(option)) { fields[name] = nil }
    }
    for name in Self.ofConnection { fields[name] = nil }
    fields.append(HTTPField(name: .via, value: "1.1 \(name)"))
    return fields
  }
}

extension HTTPRequest {
  /// Counts down how often OPTIONS or TRACE may be sent on (RFC 9110, 7.6.2).
  ///
  /// - Returns: The answer of a proxy that may not send it on; nil if it may go on.
  mutating func countForward() -> HTTPResponse? {
    guard method == .options || method == .trace, let text = headerFields[.maxForwards] else { return nil }
    guard !text.isEmpty, text.utf8.allSatisfy({ 48...57 ~= $0 }) else {
      return HTTPResponse(status: .badRequest)
    }
    let count = Int(text) ?? .max
    // To send back what came would show a page fields that it may not see.
    if count == 0 { return HTTPResponse(status: method == .options ? .ok : .notImplemented) }
    headerFields[.maxForwards] = "\(count - 1)"
    return nil
  }
}
#endif
