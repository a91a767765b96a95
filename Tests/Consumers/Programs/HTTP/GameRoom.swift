// A game whose players get the same messages, each under a name.
import UVHTTP

enum GameRoom: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let server = try loop.http.listen(host: "127.0.0.1", port: 0)
      let room = WebSocketRoom<Int> { .text("missed \($0)") }
      let serving = loop.spawn { () async throws(UVError) in
        var number = 0
        for try await exchange in server {
          number += 1
          let player = number
          loop.spawn {
            do throws(UVError) {
              let socket = try await exchange.webSocket().value
              guard room.join(socket, as: player) else { return }
              defer { room.leave(player) }
              room.send("you are \(player)", to: player)
              for try await message in socket { room.send(message, except: player) }
              room.send("\(player) has left")
            } catch { print(error) }
          }
        }
      }
      let url = "ws://127.0.0.1:\(try server.localAddress().port)/"
      let (one, two) = (try await loop.http.webSocket(url).value, try await loop.http.webSocket(url).value)
      for socket in [one, two] { print(try await socket.next().value ?? "the end") }
      try await one.send("e4").value
      print(try await two.next().value ?? "the end")
      print(room.names.sorted(), room.contains(2), room.contains(3))
      try await one.close().value
      print(try await two.next().value ?? "the end")
      try await two.close().value
      print(WebSocketRoom<String>().names.isEmpty)
      server.close()
      try await serving.value
    }
  }
}

// Prints:
// text("you are 1")
// text("you are 2")
// text("e4")
// [1, 2] true false
// text("1 has left")
// true
