// Sockets of datagrams: sent in arrays and in reply, their options, and a group that one joins.
import UV

enum DatagramSockets: Program {
  static func main() throws {
    try pingPong()
    try multicastOptions()
  }

  /// Two UDP sockets send datagrams to each other, in arrays and in reply.
  private static func pingPong() throws {
    try EventLoop.run { loop in
      let server = try loop.udp.bind(host: "127.0.0.1", port: 0, options: .reuseAddress)
      let address = try server.localAddress()
      loop.spawn {
        do {
          for try await datagram in server {
            let reply = String(decoding: datagram.bytes, as: UTF8.self).uppercased()
            try await server.send(Bytes(reply), to: datagram.address).value
          }
        } catch { print(error) }
      }
      let client = try loop.udp.connect(to: address)
      print(try client.peerAddress() == address)
      try await client.send("ping").value
      print(String(decoding: try await client.next().value?.bytes ?? "", as: UTF8.self))
      try await client.send([Datagram("one"), Datagram("two")]).value
      for _ in 0..<2 {
        let datagram = try await client.next().value
        print(String(decoding: datagram?.bytes ?? "", as: UTF8.self), datagram?.isTruncated ?? true)
      }
      print(
        try client.trySend("three"), client.sendQueueSize, client.sendQueueCount, client.receivesInBatches)
      _ = try await client.next().value
      try client.disconnect()
      print(await code(awaiting: try await client.send("to whom?").value) == .destinationRequired)
      try client.connect(to: address)
      client.close()
      server.close()
    }
  }

  /// A socket is given the options that multicast and broadcast take, and joins a group on the loopback interface.
  private static func multicastOptions() throws {
    try EventLoop.run { loop in
      let socket = try loop.udp.bind(to: SocketAddress("127.0.0.1", port: 0), options: [.receiveInBatches])
      print(socket.receivesInBatches)
      try socket.setBroadcast(true)
      try socket.setTTL(4)
      try socket.setMulticastLoop(true)
      try socket.setMulticastTTL(2)
      try socket.setMulticastInterface("127.0.0.1")
      try socket.join(group: "239.255.0.1", interface: "127.0.0.1")
      try socket.leave(group: "239.255.0.1", interface: "127.0.0.1")
      print(code(of: try socket.setTTL(0)) == .invalidArgument)
      print(code(of: try socket.join(group: "not an address")) == .invalidArgument)
      socket.close()
      print(UDP.Options.ipv6Only.rawValue > 0)
    }
  }
}

// Prints:
// true
// PING
// ONE false
// TWO false
// true 0 0 false
// true
// true
// true
// true
// true
