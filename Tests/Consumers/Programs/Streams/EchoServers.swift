// Echo servers: with callbacks alone, in functions that throw, on a Unix domain socket.
import UV

private final class EchoServer {
  let listener: TCPListener

  init(_ loop: EventLoop) throws {
    listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
  }

  func start() {
    listener.start { [weak self] result in
      switch result {
      case .success(let connection?): self?.serve(connection)
      case .success(nil): print("the listener has ended")
      case .failure(let error): print("listener: \(error)")
      }
    }
  }

  func serve(_ connection: TCPConnection) {
    connection.start { [listener] result in
      switch result {
      case .success(let bytes?):
        connection.write(bytes) { result in
          if case .failure(let error) = result { print(error) }
        }
      case .success(nil):
        connection.shutdown { _ in connection.close() }
        listener.stop()
        listener.close()
      case .failure(let error):
        print("connection: \(error)")
        connection.close()
      }
    }
  }
}

private func echo(_ connection: TCPConnection) async throws {
  for try await chunk in connection { try await connection.write(chunk).value }
}

private func handle(_ connection: TCPConnection) async throws {
  try await echo(connection)
  try await connection.shutdown().value
}

enum EchoServers: Program {
  static func main() throws {
    try callbackEchoServer()
    try echoInFunctionsThatThrow()
    try unixSockets()
  }

  /// An echo server with callbacks alone: `start`, `write`, `shutdown`, `stop`.
  private static func callbackEchoServer() throws {
    try EventLoop.runCallbacks { loop in
      let server = try EchoServer(loop)
      server.start()
      loop.tcp.connect(to: try server.listener.localAddress()) { result in
        _ = server
        guard case .success(let client) = result else { return print(result) }
        client.write("hello") { _ in client.shutdown { _ in } }
        client.read { result in
          if case .success(let bytes?) = result { print(String(decoding: bytes, as: UTF8.self)) }
          client.read { result in
            if case .success(nil) = result { print("the end") }
            client.close { _ in print("closed") }
          }
        }
      }
    }
  }

  /// An echo server of two functions that throw, one of which calls the other.
  private static func echoInFunctionsThatThrow() throws {
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

  /// A server and its client on a Unix domain socket, whose file is removed at the end.
  private static func unixSockets() throws {
    try EventLoop.run { loop in
      let directory = try await loop.files.mkdtemp("/tmp/consumers-XXXXXX").value
      let path = directory.appending("socket")
      let listener = try loop.pipes.listen(path: path)
      try listener.chmod([.read, .write])
      print(try listener.localPath() == path)
      let client = try await loop.pipes.connect(path: path).value
      let connection = try await listener.accept().value
      print(try client.peerPath() == path, try client.localPath() == nil)
      try await client.write(["a", "b", "c"]).value
      client.close()
      var text = ""
      for try await chunk in connection { text += String(decoding: chunk, as: UTF8.self) }
      print(text)
      try await listener.close().value
      print(try await loop.files.scandir(directory).value.isEmpty)
      try await loop.files.rmdir(directory).value
    }
  }
}

// Prints:
// hello
// the end
// closed
// hello
// true
// true true
// abc
// true
