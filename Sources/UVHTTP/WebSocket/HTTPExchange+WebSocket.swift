#if HTTP || Everything
import HTTPTypes
import UV

extension HTTPExchange {
  /// Whether the client asks for a WebSocket. ``webSocket(protocols:headerFields:limits:)`` checks how.
  ///
  /// The source is RFC 6455, 4.1.
  public var asksForWebSocket: Bool { ServerHandshake.isAsked(by: request) }

  /// Accepts the client's WebSocket.
  ///
  /// ```swift
  /// let socket = try await exchange.webSocket().value
  /// for try await message in socket { try await socket.send(message).value }
  /// ```
  ///
  /// A page of any site may make its visitor's browser open a WebSocket to your server, with the visitor's
  /// cookies. A program that trusts cookies compares `request.headerFields[.origin]` first, and answers others by
  /// `respond` with 403 (Forbidden).
  ///
  /// The connection no longer counts among ``HTTPLimits/connections``. A program that accepts everybody has a limit
  /// of its own.
  ///
  /// - Parameters:
  ///   - protocols: The subprotocols that the program speaks, the one that it likes best first. The first one
  ///     that the client offers is agreed on: ``WebSocket/subprotocol``.
  ///   - headerFields: Further fields of the answer, such as a cookie.
  ///   - limits: How much the client may make the program spend.
  /// - Returns: A request for the WebSocket. It fails with `protocolError` if the client's request isn't a
  ///   right one, which has then been answered with 400, 405 or 426 (Upgrade Required), and as
  ///   ``upgrade(_:)`` does.
  ///
  /// The source is RFC 6455, 4.2.
  public func webSocket(
    protocols: [String] = [], headerFields: HTTPFields = [:], limits: WebSocketLimits = WebSocketLimits()
  ) -> Request<WebSocket> {
    Request(of: loop) { [self] in
      webSocket(protocols: protocols, headerFields: headerFields, limits: limits, $0)
    }
  }

  /// Accepts the client's WebSocket; see ``webSocket(protocols:headerFields:limits:)``.
  ///
  /// The source is RFC 6455, 4.2.
  @discardableResult
  public func webSocket(
    protocols: [String] = [], headerFields: HTTPFields = [:], limits: WebSocketLimits = WebSocketLimits(),
    _ done: @escaping Completion<WebSocket>
  ) -> PendingRequest {
    do throws(ServerHandshake.Refused) {
      let handshake = try ServerHandshake(
        request, isUpgradable: head.hasUpgrade && head.framing == .none, protocols: protocols,
        headerFields: headerFields)
      return upgrade(handshake.response) { result in
        done(result.map { WebSocket(WebSocketCore($0, .server, limits), handshake.subprotocol) })
      }
    } catch {
      let reason = error.reason
      return respond(error.response, Bytes("\(error.response.status.code) \(reason)\n")) { result in
        done(result.flatMap { .failure(UVError(.protocolError, operation: "webSocket", message: reason)) })
      }
    }
  }
}
#endif
