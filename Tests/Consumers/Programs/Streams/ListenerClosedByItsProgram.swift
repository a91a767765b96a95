// A listener that its own program closes ends the loop over it, and the requests in flight are answered.
import UV

enum ListenerClosedByItsProgram: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let address = try listener.localAddress()
      loop.spawn {
        do {
          let client = try await loop.tcp.connect(to: address).value
          try await client.write("request").value
          try await loop.sleep(for: .milliseconds(10)).value
          listener.close()
          let answer = try await client.read().value
          print(answer.map { String(decoding: $0, as: UTF8.self) } ?? "no answer")
          client.close()
        } catch { print("client: \(error)") }
      }
      for try await connection in listener {
        loop.spawn {
          do {
            _ = try await connection.read().value
            try await loop.sleep(for: .milliseconds(30)).value
            try await connection.write("answer").value
          } catch { print("server: \(error)") }
          connection.close()
        }
      }
      print("no longer listening")
    }
  }
}

// Prints:
// no longer listening
// answer
