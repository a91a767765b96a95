// The first signal ends a server in good order, and the second at once.
import UV

enum SecondSignal: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      loop.shutdownGracefully(onSignals: [.user1, .user2], within: .seconds(1000)) { result in
        if case .success(let report) = result { print("cut off: \(report.count)") }
      }
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      for try await connection in listener {
        loop.spawn {
          do {
            try loop.processes.kill(SystemInfo.processID, .user1)
            try await connection.quiescing().value
            print("the server is ending")
            try loop.processes.kill(SystemInfo.processID, .user2)
          } catch { print(error) }
          _ = try? await connection.read().value
        }
      }
      // The listener has ended. The connection is about to be reset.
      _ = try? await client.read().value
      client.close()
    }
  }
}

// Prints:
// the server is ending
// cut off: 1
