// A server as an `@main` structure whose connections are served by its methods.
import UV

@main
struct Server {
  var greeting = "welcome\n"

  static func main() throws {
    let server = Server()
    try EventLoop.run { loop in try await server.serve(loop) }
  }

  func serve(_ loop: EventLoop) async throws {
    let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
    let address = try listener.localAddress()
    loop.spawn {
      do { try await visit(loop, address) } catch { print(error) }
    }
    for try await connection in listener {
      defer { connection.close() }
      try await greet(connection)
      break
    }
    listener.close()
  }

  func greet(_ connection: TCPConnection) async throws {
    try await connection.write(Bytes(greeting)).value
  }

  func visit(_ loop: EventLoop, _ address: SocketAddress) async throws {
    let connection = try await loop.tcp.connect(to: address).value
    while let bytes = try await connection.next().value {
      print(String(decoding: bytes, as: UTF8.self), terminator: "")
    }
    connection.close()
  }
}

// Prints:
// welcome
