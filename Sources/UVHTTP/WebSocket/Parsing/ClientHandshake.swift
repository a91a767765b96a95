#if HTTP || Everything
import HTTPTypes
import UV

/// A request for a WebSocket, and the check of its answer, as a client sees them (RFC 6455, 4.1).
struct ClientHandshake {
  private(set) var request: HTTPRequest
  private let protocols: [String]
  private let key = HandshakeKey.random()

  init(_ url: String, protocols: [String], headerFields: HTTPFields) throws(UVError) {
    let scheme = url.prefix { $0 != ":" }.lowercased()
    guard scheme == "ws" || scheme == "wss",
      let request = HTTPRequest(
        url: (scheme == "wss" ? "https" : "http") + url.dropFirst(scheme.count), headerFields: headerFields)
    else {
      throw UVError(
        .invalidArgument, operation: "webSocket", message: "the URL isn't one of ws or wss, with a host")
    }
    guard Set(protocols).count == protocols.count,
      protocols.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isToken) })
    else {
      throw UVError(
        .invalidArgument, operation: "webSocket", message: "a subprotocol isn't a token, or is there twice")
    }
    (self.request, self.protocols) = (request, protocols)
    for name in [HTTPField.Name.secWebSocketAccept, .secWebSocketExtensions] {
      self.request.headerFields[name] = nil
    }
    self.request.headerFields[.upgrade] = "websocket"
    self.request.headerFields[.secWebSocketKey] = key
    self.request.headerFields[.secWebSocketVersion] = "13"
    self.request.headerFields[.secWebSocketProtocol] =
      protocols.isEmpty ? nil : protocols.joined(separator: ", ")
  }

  /// Checks that the server speaks WebSocket with this client, and not something else with somebody else.
  ///
  /// - Returns: The subprotocol that was agreed on.
  func subprotocol(of answer: HTTPResponse) throws(UVError) -> String? {
    guard answer.status == .switchingProtocols else {
      throw UVError(
        .unexpectedAnswer, operation: "webSocket", subject: request.authority,
        message: "the server answered \(answer.status.code)")
    }
    let fields = answer.headerFields
    guard fields.elements(of: .upgrade).map({ $0.lowercased() }) == ["websocket"],
      fields.has("upgrade", in: .connection)
    else { throw wrong("the server hasn't changed to WebSocket") }
    guard fields[values: .secWebSocketAccept] == [HandshakeKey.accept(key)] else {
      throw wrong("Sec-WebSocket-Accept doesn't belong to the key")
    }
    guard fields.elements(of: .secWebSocketExtensions).isEmpty else {
      throw wrong("the server speaks an extension that it wasn't offered")
    }
    let chosen = fields[values: .secWebSocketProtocol]
    guard chosen.count <= 1, chosen.allSatisfy(protocols.contains) else {
      throw wrong("the server speaks a subprotocol that it wasn't offered")
    }
    return chosen.first
  }

  private func wrong(_ message: String) -> UVError {
    UVError(.protocolError, operation: "webSocket", subject: request.authority, message: message)
  }
}
#endif
