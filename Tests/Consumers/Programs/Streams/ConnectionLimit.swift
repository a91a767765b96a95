// A listener with a limit serves one peer after the other, and all of them in the end.
import UV

enum ConnectionLimit: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      listener.connectionLimit = 1
      let address = try listener.localAddress()
      _ = loop.spawn {
        var open = 0
        for try await connection in listener {
          open += 1
          print("open: \(open)")
          _ = loop.spawn {
            for try await chunk in connection { try await connection.write(chunk).value }
            open -= 1
            connection.close()
          }
        }
      }
      try await loop.withTasks { tasks in
        for _ in 0..<3 {
          tasks.spawn {
            let client = try await loop.tcp.connect(to: address).value
            try await client.write("hello").value
            _ = try await client.read().value
            client.close()
          }
        }
      }
      listener.close()
    }
  }
}

// Prints:
// open: 1
// open: 1
// open: 1
