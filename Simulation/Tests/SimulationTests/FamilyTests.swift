import Testing
import UV
import UVSimulation

/// Sockets of one host that serve IPv6 and IPv4.
@Suite struct FamilyTests {
  @Test("A listener without a host serves both families, and knows peers by their own addresses")
  func tcp() throws {
    let seen = Log<(String, String)>()
    try Simulation(seed: 1, weather: .calm) { world in
      let server = world.host("server") { loop in
        for try await connection in try loop.tcp.listen(port: 7) {
          try await connection.write(Bytes(connection.peerAddress().host)).value
          connection.close()
        }
      }
      for host in [server.address, "fd00::\(server.address.split(separator: ".").last!)"] {
        world.client("client of \(host)") { loop in
          let connection = try await loop.tcp.connect(host: host, port: 7).value
          let own = try connection.localAddress().host
          seen.append((own, "\(try await connection.readToEnd(limit: 100).value)"))
          connection.close()
        }
      }
    }
    #expect(seen.values.count == 2)
    for (own, reported) in seen.values { #expect(own == reported) }
    #expect(Set(seen.values.map { $0.0.contains(":") }) == [true, false])
  }

  @Test("Datagrams pass between sockets of one family and of both", arguments: [nil, "0.0.0.0"])
  func udp(any: String?) throws {
    let seen = Log<String>()
    try Simulation(seed: 1, weather: .calm) { world in
      let server = world.host("server") { loop in
        for try await datagram in try loop.udp.bind(port: 7) {
          // Answered by a socket that the datagram's address is enough for.
          let socket = try loop.udp.bind(host: "0.0.0.0", port: 0)
          try await socket.send(Bytes(datagram.address?.host ?? "nobody"), to: datagram.address).value
          socket.close()
        }
      }
      world.client("client") { loop in
        let socket = try loop.udp.bind(host: any, port: 0)
        try await socket.send("who am I?", to: SocketAddress(server.address, port: 7)).value
        if let answer = try await socket.next().value {
          seen.append("\(answer.bytes) by \(answer.address?.host ?? "nobody")")
        }
        socket.close()
      }
    }
    #expect(seen.values == ["10.0.0.2 by 10.0.0.1"])
  }
}
