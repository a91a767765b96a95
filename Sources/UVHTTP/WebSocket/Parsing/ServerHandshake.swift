#if HTTP || Everything
import HTTPTypes
import UV

/// A client's request for a WebSocket, as a server sees it (RFC 6455, 4.2).
struct ServerHandshake {
  /// The answer that accepts the client.
  private(set) var response: HTTPResponse
  let subprotocol: String?

  /// An answer in place of a WebSocket.
  struct Refused: Error {
    var response: HTTPResponse
    let reason: String

    init(_ status: HTTPResponse.Status, _ reason: String) {
      (response, self.reason) = (HTTPResponse(status: status), reason)
      response.headerFields[.contentType] = "text/plain; charset=utf-8"
    }
  }

  /// Whether a request asks for a WebSocket, rightly or not.
  static func isAsked(by request: HTTPRequest) -> Bool {
    request.headerFields.has("websocket", in: .upgrade)
  }

  /// - Parameters:
  ///   - isUpgradable: Whether the request is one of HTTP/1.1 with `Connection: Upgrade`, and has no body.
  ///   - protocols: The protocols that the server speaks, the ones that it likes best first.
  ///   - headerFields: Further fields for the answer.
  init(
    _ request: HTTPRequest, isUpgradable: Bool, protocols: [String], headerFields: HTTPFields
  ) throws(Refused) {
    let fields = request.headerFields
    guard request.method == .get else {
      var refused = Refused(.methodNotAllowed, "a WebSocket begins with GET")
      refused.response.headerFields[.allow] = "GET"
      throw refused
    }
    guard Self.isAsked(by: request), fields[values: .secWebSocketVersion] == ["13"] else {
      var refused = Refused(.upgradeRequired, "only WebSocket, version 13, is spoken here")
      refused.response.headerFields[.upgrade] = "websocket"
      refused.response.headerFields[.secWebSocketVersion] = "13"
      throw refused
    }
    guard isUpgradable else {
      throw Refused(.badRequest, "the connection isn't asked to change, or there is a body")
    }
    let keys = fields[values: .secWebSocketKey]
    guard keys.count == 1, HandshakeKey.isValid(keys[0]) else {
      throw Refused(.badRequest, "Sec-WebSocket-Key isn't one key of 16 bytes")
    }
    let offered = fields.elements(of: .secWebSocketProtocol)
    guard offered.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isToken) }) else {
      throw Refused(.badRequest, "Sec-WebSocket-Protocol isn't a list of tokens")
    }
    subprotocol = protocols.first { offered.contains($0[...]) }
    response = HTTPResponse(status: .switchingProtocols, headerFields: headerFields)
    response.headerFields[.upgrade] = "websocket"
    response.headerFields[.secWebSocketAccept] = HandshakeKey.accept(keys[0])
    response.headerFields[.secWebSocketProtocol] = subprotocol
    // None is spoken, such as permessage-deflate.
    response.headerFields[.secWebSocketExtensions] = nil
  }
}

extension HTTPFields {
  /// The elements of a list, which may be in several fields (RFC 9110, 5.6.1).
  func elements(of name: HTTPField.Name) -> [Substring] {
    self[values: name].flatMap { value in
      value.split(separator: ",").map { element in
        let start = element.drop { $0 == " " || $0 == "\t" }
        return start[
          ..<(start.lastIndex { $0 != " " && $0 != "\t" }.map { start.index(after: $0) } ?? start.startIndex)]
      }.filter { !$0.isEmpty }
    }
  }

  /// Whether a list has a word, in capitals or not.
  func has(_ word: String, in name: HTTPField.Name) -> Bool {
    elements(of: name).contains { $0.lowercased() == word }
  }
}
#endif
