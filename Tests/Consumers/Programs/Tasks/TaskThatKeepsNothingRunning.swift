// A server that nothing waits for: its task and its listener let the run end.
import UV

enum TaskThatKeepsNothingRunning: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      listener.keepsLoopRunning = false
      let server = loop.spawn {
        for try await connection in listener { try await connection.write("hello").value }
      }
      server.keepsLoopRunning = false
      print(server.keepsLoopRunning)

      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      if let chunk = try await client.read().value { print(String(decoding: chunk, as: UTF8.self)) }
    }
  }
}

// Prints:
// false
// hello
