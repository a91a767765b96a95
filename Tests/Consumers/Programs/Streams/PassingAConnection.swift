// A connection is passed through a channel, and served at the other end; a listener, a socket and a pipe, too.
import UV

enum PassingAConnection: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let (near, far) = try loop.pipes.socketPair(passesHandles: true)
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      let connection = try await listener.accept().value

      try await near.write("tcp", passing: connection).value
      connection.close()
      _ = try await far.read().value
      print(far.passesHandles, far.pendingHandleCount, far.pendingHandleType == .tcp)
      let passed = try far.acceptTCPConnection()
      try await passed.write("served elsewhere").value
      passed.close()
      for try await chunk in client { print(String(decoding: chunk, as: UTF8.self)) }
      client.close()

      try await near.write("listener", passing: listener).value
      _ = try await far.read().value
      let second = try far.acceptTCPListener()
      print(try second.localAddress() == listener.localAddress())
      second.close()
      listener.close()

      let socket = try loop.udp.bind(host: "127.0.0.1", port: 0)
      try await near.write("udp", passing: socket).value
      _ = try await far.read().value
      print(far.pendingHandleType == .udp)
      let datagrams = try far.acceptUDPSocket()
      print(try datagrams.localAddress() == socket.localAddress())
      datagrams.close()
      socket.close()

      let (one, other) = try loop.pipes.socketPair()
      try await near.write("pipe", passing: other).value
      _ = try await far.read().value
      let pipe = try far.acceptPipeConnection()
      try await pipe.write("through").value
      let bytes = try await one.read().value
      print(bytes == "through")
      for stream in [near, far, one, other, pipe] { stream.close() }
    }
  }
}

// Prints:
// true 1 true
// served elsewhere
// true
// true
// true
// true
