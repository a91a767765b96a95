// A WebSocket that sends each message back: `WebSocketEcho [PORT]` is a server, `WebSocketEcho URL COUNT` a client.
//
// The server listens on a port of 127.0.0.1 (0, the default: one that the system chooses), prints it, and goes on for
// ever. The client connects so often, one time after the other. `Tests/run websocket` judges both.
import UVHTTP

/// What the cases of autobahntestsuite need: messages of 16 MiB, some of them in very small frames.
let limits = {
  var limits = WebSocketLimits()
  (limits.message, limits.frame, limits.fragments) = (1 << 24, 1 << 24, 1 << 18)
  return limits
}()
let arguments = Array(CommandLine.arguments.dropFirst())

func echo(_ socket: WebSocket) async throws(UVError) {
  for try await message in socket { try await socket.send(message).value }
}

func serve(_ loop: EventLoop, port: Int) async throws(UVError) {
  let server = try loop.http.listen(host: "127.0.0.1", port: port)
  // Not `print`, which would keep the line to itself while the output is a pipe.
  try await loop.standardOutput.write(Bytes("listening on \(try server.localAddress())\n")).value
  for try await exchange in server {
    loop.spawn {
      do throws(UVError) {
        try await echo(exchange.webSocket(limits: limits).value)
      } catch { print("a WebSocket ended: \(error)") }
    }
  }
}

func visit(_ loop: EventLoop, _ url: String, count: Int) async throws(UVError) {
  for _ in 0..<count {
    do throws(UVError) {
      try await echo(loop.http.webSocket(url, limits: limits).value)
    } catch  where ![.connectionRefused, .unexpectedAnswer].contains(error.code) {
      print("a WebSocket ended: \(error)")
    }
  }
}

EventLoop.main { loop in
  if arguments.count == 2, let count = Int(arguments[1]) {
    try await visit(loop, arguments[0], count: count)
  } else {
    try await serve(loop, port: arguments.first.flatMap { Int($0) } ?? 0)
  }
}
