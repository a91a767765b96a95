#if HTTP || Everything
import HTTPTypes
import UV

extension HTTPClient {
  /// Connects to a server's WebSocket.
  ///
  /// ```swift
  /// let socket = try await client.webSocket("wss://example.com/chat").value
  /// try await socket.send("hello").value
  /// ```
  ///
  /// The connection is one of the client's until the server has accepted: it goes through the proxy, is secured for
  /// `wss` as for `https`, and waits as ``HTTPClientOptions`` say. Then it no longer belongs to the client.
  ///
  /// - Parameters:
  ///   - url: A URL of `ws` or `wss`. Characters that aren't allowed in one must be encoded. A user in it becomes the
  ///     field `Authorization`.
  ///   - protocols: The subprotocols that the program speaks, the one that it likes best first:
  ///     ``WebSocket/subprotocol`` is the one that the server has chosen, if any.
  ///   - headerFields: Further fields of the request, such as `Origin` or a cookie.
  ///   - limits: How much the server may make the program spend.
  /// - Returns: A request for the WebSocket. It fails with `invalidArgument` if the URL or a subprotocol isn't
  ///   one, with `unexpectedAnswer` if the server answers otherwise than with 101, with `protocolError` if its
  ///   answer is wrong, and otherwise as ``upgrade(_:body:)``. Cancelling it closes the connection at once.
  ///
  /// The source is RFC 6455, 4.1.
  public func webSocket(
    _ url: String, protocols: [String] = [], headerFields: HTTPFields = [:],
    limits: WebSocketLimits = WebSocketLimits()
  ) -> Request<WebSocket> {
    Request(of: loop) { [core] in
      core.webSocket(url, protocols: protocols, headerFields: headerFields, limits: limits, $0)
    }
  }

  /// Connects to a server's WebSocket; see ``webSocket(_:protocols:headerFields:limits:)``.
  ///
  /// The source is RFC 6455, 4.1.
  @discardableResult
  public func webSocket(
    _ url: String, protocols: [String] = [], headerFields: HTTPFields = [:],
    limits: WebSocketLimits = WebSocketLimits(), _ done: @escaping Completion<WebSocket>
  ) -> PendingRequest {
    core.webSocket(url, protocols: protocols, headerFields: headerFields, limits: limits, done)
  }
}

extension HTTP {
  /// Connects to a server's WebSocket by a client of the loop, with the usual options and without TLS. Make an
  /// ``HTTPClient`` for `wss`.
  ///
  /// - Parameters:
  ///   - url: A URL of `ws`.
  ///   - protocols: The subprotocols that the program speaks, the one that it likes best first.
  ///   - headerFields: Further fields of the request.
  ///   - limits: How much the server may make the program spend.
  /// - Returns: A request as that of ``HTTPClient/webSocket(_:protocols:headerFields:limits:)``.
  ///
  /// The source is RFC 6455, 4.1.
  public func webSocket(
    _ url: String, protocols: [String] = [], headerFields: HTTPFields = [:],
    limits: WebSocketLimits = WebSocketLimits()
  ) -> Request<WebSocket> {
    Request(of: loop) { [loop] in
      ClientCore.ofLoop[loop].webSocket(
        url, protocols: protocols, headerFields: headerFields, limits: limits, $0)
    }
  }
}

extension ClientCore {
  fileprivate func webSocket(
    _ url: String, protocols: [String], headerFields: HTTPFields, limits: WebSocketLimits,
    _ done: @escaping Completion<WebSocket>
  ) -> PendingRequest {
    let handshake: ClientHandshake
    do throws(UVError) {
      handshake = try ClientHandshake(url, protocols: protocols, headerFields: headerFields)
    } catch {
      loop.answer(done, error)
      return PendingRequest()
    }
    let outgoing = OutgoingRequest(request: handshake.request, body: .whole(Bytes()), isUpgrade: true)
    return send(outgoing) { result in
      done(
        result.flatMap { answer in
          do throws(UVError) {
            let subprotocol = try handshake.subprotocol(of: answer.head)
            // There is one, since the server has switched.
            guard let stream = answer.stream else { throw UVError(.protocolError, operation: "webSocket") }
            return .success(WebSocket(WebSocketCore(stream, .client, limits), subprotocol))
          } catch {
            answer.stream?.close()
            return .failure(error)
          }
        })
    }
  }
}
#endif
