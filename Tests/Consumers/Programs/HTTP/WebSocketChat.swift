// A chat: what one client says goes to all, a client that is too slow is left out, and a page is served beside it.
import UVHTTP

enum WebSocketChat: Program {
  private final class Room {
    private var members: [ObjectIdentifier: WebSocket] = [:]

    func join(_ socket: WebSocket) { members[ObjectIdentifier(socket)] = socket }

    func leave(_ socket: WebSocket) { members[ObjectIdentifier(socket)] = nil }

    func say(_ text: String) {
      let message: EncodedWebSocketMessage = WebSocketMessage.text(text).encoded()
      for socket in members.values where !socket.isAboveHighWaterMark { socket.send(message) { _ in } }
    }
  }

  private nonisolated(nonsending) static func serve(_ exchange: HTTPExchange, _ room: Room)
    async throws(UVError)
  {
    guard exchange.asksForWebSocket else {
      return try await exchange.respond(HTTPResponse(status: .ok), "a page").value
    }
    guard exchange.request.headerFields[.origin] == "https://chat.example" else {
      return try await exchange.respond(HTTPResponse(status: .forbidden)).value
    }
    var limits = WebSocketLimits()
    limits.message = 100
    let socket = try await exchange.webSocket(protocols: ["chat"], limits: limits).value
    room.join(socket)
    defer { room.leave(socket) }
    for try await message in socket {
      guard case .text(let text) = message else {
        try await socket.send(WebSocketMessage.text("no bytes").encoded()).value
        try await socket.close(.unacceptableData, reason: "text only").value
        break
      }
      room.say(text)
    }
  }

  static func main() throws {
    try EventLoop.run { loop in
      let server = try loop.http.listen(host: "127.0.0.1", port: 0)
      let room = Room()
      let serving = loop.spawn { () async throws(UVError) in
        for try await exchange in server {
          loop.spawn {
            do throws(UVError) { try await serve(exchange, room) } catch {
              print("server:", error.code == .messageTooLong)
            }
          }
        }
      }
      let address = "127.0.0.1:\(try server.localAddress().port)"
      print(try await loop.http.get("http://\(address)/").value.body.readToEnd(limit: 100).value)
      print(
        "without an origin:",
        await code(awaiting: try await loop.http.webSocket("ws://\(address)/").value) == .unexpectedAnswer)

      let origin: HTTPFields = [.origin: "https://chat.example"]
      let client = HTTPClient(loop)
      let ada = try await client.webSocket("ws://\(address)/", protocols: ["chat"], headerFields: origin)
        .value
      let bob = try await client.webSocket("ws://\(address)/", headerFields: origin).value
      print(ada.subprotocol ?? "none", bob.subprotocol ?? "none")
      try await bob.ping().value
      try await ada.send("hello").value
      for socket in [ada, bob] { print(try await socket.next().value ?? "the end") }
      try await ada.send(.binary([1, 2, 3])).value
      while let message = try await ada.next().value { print(message) }
      print(ada.peerClose?.code ?? .noStatus, ada.peerClose?.reason ?? "")
      try await bob.send(.text(String(repeating: "long ", count: 50))).value
      while let message = try await bob.next().value { print(message) }
      print(bob.peerClose?.code == .messageTooBig)
      server.close()
      try await serving.value
    }
  }
}

// Prints:
// a page
// without an origin: true
// chat none
// text("hello")
// text("hello")
// text("no bytes")
// 1003 text only
// server: true
// true
