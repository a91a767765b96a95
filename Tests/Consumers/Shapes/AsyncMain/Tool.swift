// A tool whose `main` is asynchronous runs a loop within it, and a group's loops beside it.
import UV

@main
enum Tool {
  static func main() async throws {
    let size = try EventLoop.run { loop in try await loop.files.stat("/").value.size }
    print(size >= 0)

    let group = try EventLoopGroup(count: 2)
    let address = try await group.serve(host: "127.0.0.1", port: 0) { connection in
      do {
        for try await chunk in connection { try await connection.write(chunk).value }
      } catch { print(error) }
    }
    let answer = try EventLoop.run { loop in
      let client = try await loop.tcp.connect(to: address).value
      defer { client.close() }
      try await client.write("ping").value
      return try await client.next().value
    }
    print(answer == "ping")
    let report = await group.shutdownGracefully(within: .seconds(5))
    print("\(report.count) cut off")
  }
}

// Prints:
// true
// true
// 0 cut off
