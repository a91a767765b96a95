// The options and the addresses of a TCP connection, and its reset.
import UV

enum TcpDetails: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0, backlog: 16)
      try listener.setSimultaneousAccepts(true)
      let client = try await loop.tcp.connect(host: "localhost", port: Int(listener.localAddress().port))
        .value
      let connection = try await listener.accept().value
      try client.setNoDelay()
      try client.setKeepAlive(.seconds(60))
      try client.setKeepAlive(nil)
      try client.setSendBufferSize(32768)
      try client.setReceiveBufferSize(32768)
      print(try client.sendBufferSize() >= 32768, try client.receiveBufferSize() >= 32768)
      print(try client.peerAddress() == listener.localAddress())
      print(try client.localAddress() == connection.peerAddress())
      print(try client.fileDescriptor() >= 0, client.isReadable, client.isWritable)
      print(client.isActive, listener.isClosing, client.keepsLoopRunning)
      do {
        try await connection.closeReset().value
        _ = try await client.read().value
        print("no error")
      } catch let error as UVError {
        print(error.code == .connectionReset, connection.isClosing)
      }
      client.close()
      listener.close()
    }
  }
}

// Prints:
// true true
// true
// true
// true true true
// false false true
// true true
