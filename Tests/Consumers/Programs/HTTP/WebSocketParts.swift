// The parts of a WebSocket: callbacks, messages that are written bit by bit, pings, close codes and limits.
import UVHTTP

enum WebSocketParts: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let server = try loop.http.listen(host: "127.0.0.1", port: 0)
      var limits = WebSocketLimits()
      (limits.message, limits.frame, limits.fragments) = (1000, 500, 10)
      (limits.messageTimeout, limits.closeTimeout) = (.seconds(5), .seconds(1))
      (limits.silence, limits.keepAlive, limits.minimumRate) = (.seconds(10), nil, 100)
      server.start { result in
        guard case .success(let exchange?) = result else { return }
        exchange.webSocket(headerFields: [.server: "parts"], limits: limits) { result in
          guard case .success(let socket) = result else { return }
          socket.start { result in
            switch result {
            case .success(let message?): socket.send(message) { _ in }
            case .success(nil): print("server:", socket.peerClose?.code ?? .noStatus)
            case .failure(let error): print("server:", error.code)
            }
          }
        }
      }
      let url = "ws://127.0.0.1:\(try server.localAddress().port)/"
      let client = HTTPClient(loop)
      let socket = try await Request<WebSocket>(loop) { client.webSocket(url, limits: limits, $0) }.value
      print(try socket.peerAddress().host)

      let writer = try socket.begin(.binary)
      precondition(writer.loop === loop)
      try await writer.write("one").value
      writer.write("two") { _ in }
      try await writer.finish().value
      let text = try socket.begin(.text)
      text.write("three") { _ in }
      text.finish { _ in }
      for _ in 0..<2 {
        guard let message = try await socket.next().value else { break }
        print(message.kind == .binary, message)
      }
      socket.ping("data") { result in
        if case .success = result { print("pong") }
      }
      try await socket.ping(Bytes()).value

      print(
        "1005 is never sent:",
        await code(awaiting: try await socket.close(.noStatus).value) == .invalidArgument)
      try await Request<Void>(loop) { socket.close(WebSocketCloseCode(rawValue: 4000), reason: "enough", $0) }
        .value
      print(socket.peerClose.map { $0.code.rawValue } ?? 0)
      let known: [WebSocketCloseCode] = [
        .normal, .goingAway, .protocolError, .unacceptableData, .noStatus, .invalidData, .policyViolation,
        .messageTooBig, .missingExtension, .internalError, .serviceRestart, .tryAgainLater,
      ]
      print(known.map(\.description).joined(separator: " "))
      server.close()
    }
  }
}

// Prints:
// 127.0.0.1
// true binary(onetwo)
// false text("three")
// pong
// 1005 is never sent: true
// server: 4000
// 4000
// 1000 1001 1002 1003 1005 1007 1008 1009 1010 1011 1012 1013
