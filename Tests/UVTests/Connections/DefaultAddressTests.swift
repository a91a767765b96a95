import CUV
import Foundation
import Testing
import UV
import UVTestSupport

/// Listening without a host: on all addresses, of IPv6 and IPv4.
@Suite struct DefaultAddressTests {
  static let loopbacks = ["127.0.0.1", "::1"]

  @Test("Clients of both families are served, and each is known by its own address", arguments: loopbacks)
  func tcp(host: String) async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(port: 0)
      let port = Int(try listener.localAddress().port)
      let client = try await loop.tcp.connect(to: SocketAddress(host, port: port)).value
      let server = try await listener.accept().value
      #expect(try server.peerAddress() == client.localAddress())
      #expect(try server.localAddress() == client.peerAddress())
      #expect(try server.peerAddress().host == host)
      try await server.write("hello").value
      #expect(try await client.next().value == "hello")
      for stream in [client, server] { stream.close() }
      listener.close()
    }
  }

  @Test("A group serves both families", arguments: [EventLoopGroup.Balance.system, .roundRobin])
  func group(balance: EventLoopGroup.Balance) async throws {
    try await withLoop { loop in
      let group = try EventLoopGroup(count: 2)
      let address = try await group.serve(port: 0, balance: balance) { connection in
        let peer = (try? connection.peerAddress().host) ?? "nobody"
        _ = try? await connection.write(Bytes(peer)).value
      }
      for host in Self.loopbacks {
        let client = try await loop.tcp.connect(host: host, port: Int(address.port)).value
        #expect(try await client.next().value == Bytes(host))
        client.close()
      }
      _ = await group.shutdownGracefully(within: .seconds(10))
    }
  }

  @Test func `A port that one family has is in use for both`() async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "0.0.0.0", port: 0)
      let port = Int(try listener.localAddress().port)
      await expectError(.addressInUse, of: try loop.tcp.listen(port: port))
      listener.close()
    }
  }

  @Test("Datagrams come from both families, and are answered", arguments: loopbacks, [false, true])
  func udp(host: String, isConnected: Bool) async throws {
    try await withLoop { loop in
      let server = try loop.udp.bind(port: 0)
      let place = try SocketAddress(host, port: Int(server.localAddress().port))
      // A socket of all addresses reaches both families, too.
      let client = try loop.udp.bind(port: 0)
      if isConnected { try client.connect(to: place) }
      let target = isConnected ? nil : place
      try await client.send("one", to: target).value
      #expect(try client.trySend("two", to: target))
      let rest: [Bytes] = ["three", "four", "five"]
      try await client.send(rest.map { Datagram($0, to: target) }).value
      for expected in ["one", "two"] + rest {
        let datagram = try #require(try await server.next().value)
        #expect(datagram.bytes == expected)
        #expect(datagram.address?.host == host)
        try await server.send(datagram.bytes, to: datagram.address).value
        let answer = try #require(try await client.next().value)
        #expect(answer.bytes == expected && answer.address == place)
      }
      if isConnected { #expect(try client.peerAddress() == place) }
      for socket in [client, server] { socket.close() }
    }
  }

  @Test func `A socket that was taken over or passed reaches both families`() async throws {
    try await withLoop { loop in
      let server = try loop.udp.bind(host: "127.0.0.1", port: 0)
      let bound = try loop.udp.bind(port: 0)
      let copy = try loop.udp.open(fileDescriptor: dup(bound.fileDescriptor()))
      let (near, far) = try loop.pipes.socketPair(passesHandles: true)
      try await near.write("x", passing: bound).value
      _ = try await far.next().value
      let passed = try far.acceptUDPSocket()
      for socket in [copy, passed] {
        try await socket.send("hello", to: server.localAddress()).value
        #expect(try await server.next().value?.bytes == "hello")
      }
      for socket in [server, bound, copy, passed] { socket.close() }
      for pipe in [near, far] { pipe.close() }
    }
  }

  @Test func `An option of a socket for both families holds for both`() async throws {
    try await withLoop { loop in
      func values(_ socket: UDPSocket, _ options: [(level: Int32, name: Int32)]) throws -> [Int32] {
        let descriptor = try socket.fileDescriptor()
        return options.map { option in
          var value: Int32 = -1
          var length = socklen_t(MemoryLayout<Int32>.size)
          _ = getsockopt(descriptor, option.level, option.name, &value, &length)
          return value
        }
      }
      let six = Int32(IPPROTO_IPV6)
      let socket = try loop.udp.bind(port: 0)
      try socket.setTTL(5)
      try socket.setMulticastTTL(6)
      try socket.setMulticastLoop(false)
      #expect(try values(socket, [(six, IPV6_UNICAST_HOPS), (six, IPV6_MULTICAST_HOPS)]) == [5, 6])
      #expect(try values(socket, [(six, IPV6_MULTICAST_LOOP), (six, IPV6_V6ONLY)]) == [0, 0])
      #if os(Linux)
      let four = Int32(IPPROTO_IP)
      #expect(
        try values(socket, [(four, IP_TTL), (four, IP_MULTICAST_TTL), (four, IP_MULTICAST_LOOP)]) == [
          5, 6, 0,
        ])
      #endif
      socket.close()
    }
  }

  @Test func `A socket for IPv6 only leaves the port to IPv4`() async throws {
    try await withLoop { loop in
      let six = try loop.udp.bind(port: 0, options: .ipv6Only)
      let port = Int(try six.localAddress().port)
      let four = try loop.udp.bind(host: "0.0.0.0", port: port)
      #expect(try six.localAddress().isIPv6 && !four.localAddress().isIPv6)
      await expectError(
        .networkUnreachable, of: try await six.send("x", to: SocketAddress("127.0.0.1", port: port)).value)
      for socket in [six, four] { socket.close() }
    }
  }

  @Test(
    "An address of IPv4 in IPv6's form is one of IPv4, and no other is",
    arguments: [
      ("::ffff:192.0.2.1", "192.0.2.1"), ("::ffff:0.0.0.0", "0.0.0.0"), ("::192.0.2.1", nil), ("::1", nil),
      ("::fffe:192.0.2.1", nil), ("1::ffff:192.0.2.1", nil), ("::1:ffff:192.0.2.1", nil), ("127.0.0.1", nil),
    ] as [(String, String?)])
  func forms(host: String, plain: String?) throws {
    let address = try SocketAddress(host, port: 443)
    #expect(try address.unmapped == SocketAddress(plain ?? host, port: 443))
  }
}
