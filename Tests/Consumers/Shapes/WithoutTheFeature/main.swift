// Without the feature that the README enables, each function says `nonisolated(nonsending)` itself.
import UV

nonisolated(nonsending) func echo(_ connection: TCPConnection) async throws {
  for try await chunk in connection { try await connection.write(chunk).value }
}

nonisolated(nonsending) func stays(_ loop: EventLoop) async -> Bool { loop.executor.isOnLoop }

try EventLoop.run { loop in
  let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
  let client = try await loop.tcp.connect(to: listener.localAddress()).value
  let connection = try await listener.accept().value
  loop.spawn {
    do { try await echo(connection) } catch { print(error) }
  }
  try await client.write("hello").value
  let answer = try await client.next().value
  print(answer == "hello")
  print(await stays(loop))
  client.close()
}

// Prints:
// true
// true
