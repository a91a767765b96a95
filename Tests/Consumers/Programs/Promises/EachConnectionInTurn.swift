// A server of promises: `each` serves a connection, and asks for the next when its promise is fulfilled.
import UV
import UVPromises

enum EachConnectionInTurn: Program {
  static func echo(_ connection: TCPConnection) -> Promise<Void> {
    connection.each { chunk in connection.write(chunk).promise() }
      .ensure { connection.close() }
  }

  static func main() throws {
    try EventLoop.runCallbacks { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let address = try listener.localAddress()
      listener.each { connection in echo(connection) }
        .done { print("listener: ended") }
        .catch(policy: .allErrors) { print("listener: \($0)") }

      firstly {
        loop.tcp.connect(to: address).promise()
      }.then { client in
        client.write("hello").promise()
          .then { client.read().promise() }
          .done { bytes in print(bytes == "hello") }
          .then { client.close().promise() }
      }.ensure {
        listener.close()
      }.catch { print($0) }
    }
  }
}

// Prints:
// true
// listener: ended
