// An echo server of two functions that throw, one of which calls the other.
import UV

private func echo(_ connection: TCPConnection) async throws {
  for try await chunk in connection { try await connection.write(chunk).value }
}

private func handle(_ connection: TCPConnection) async throws {
  try await echo(connection)
  try await connection.shutdown().value
}

enum EchoInFunctionsThatThrow: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      let connection = try await listener.accept().value
      loop.spawn {
        do { try await handle(connection) } catch { print(error) }
        connection.close()
      }
      try await client.write("hello").value
      try await client.shutdown().value
      for try await chunk in client { print(String(decoding: chunk, as: UTF8.self)) }
      client.close()
      listener.close()
    }
  }
}

// Prints:
// hello
