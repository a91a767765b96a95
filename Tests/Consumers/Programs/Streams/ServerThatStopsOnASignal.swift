// A server that a signal ends, as the documentation of a group shows it.
import UV

enum ServerThatStopsOnASignal: Program {
  static func main() throws {
    let group = try EventLoopGroup(count: 2)
    try EventLoop.run { loop in
      let address = try await group.serve(host: "127.0.0.1", port: 0) { connection in
        do {
          for try await chunk in connection { try await connection.write(chunk).value }
        } catch { print(error) }
      }
      let client = try await loop.tcp.connect(to: address).value
      try await client.write("hello").value
      print(try await client.read().value == "hello")
      client.close()

      loop.spawn {
        do {
          try await loop.sleep(for: .milliseconds(20)).value
          try loop.processes.kill(SystemInfo.processID, .user1)
        } catch { print(error) }
      }
      let report = try await group.shutdownGracefully(
        onSignals: [.user1, .terminate], within: .seconds(10), on: loop
      ).value
      print("\(report.count) connections were cut off")
    }
  }
}

// Prints:
// true
// 0 connections were cut off
