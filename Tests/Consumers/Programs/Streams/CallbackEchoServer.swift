// An echo server with callbacks alone: `start`, `write`, `shutdown`, `stop`.
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

enum CallbackEchoServer: Program {
  static func main() throws {
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
}

// Prints:
// hello
// the end
// closed
