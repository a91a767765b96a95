// Two UDP sockets send datagrams to each other, in arrays and in reply.
import UV

enum PingPong: Program {
  static func main() throws {
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
      do throws(UVError) {
        try await client.send("to whom?").value
      } catch {
        print(error.code == .destinationRequired)
      }
      try client.connect(to: address)
      client.close()
      server.close()
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
