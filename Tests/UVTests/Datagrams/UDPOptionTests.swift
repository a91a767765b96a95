import Testing
import UV
import UVTestSupport

@Suite struct UDPOptionTests {
  @Test func multicast() async throws {
    try await withLoop { loop in
      let group = "239.255.40.41"
      let receiver = try loop.udp.bind(port: 0, options: .reuseAddress)
      let sender = try loop.udp.bind(host: "127.0.0.1", port: 0)
      try receiver.join(group: group, interface: "127.0.0.1")
      await expectError(.addressInUse, of: try receiver.join(group: group, interface: "127.0.0.1"))
      try sender.setMulticastInterface("127.0.0.1")
      try sender.setMulticastTTL(0)
      try sender.setMulticastLoop(true)
      let address = try SocketAddress(group, port: Int(receiver.localAddress().port))
      try await sender.send("to all", to: address).value
      #expect(try await receiver.next().value?.bytes == "to all")
      try receiver.leave(group: group, interface: "127.0.0.1")
      await expectError(.addressNotAvailable, of: try receiver.leave(group: group, interface: "127.0.0.1"))
      receiver.close()
      sender.close()
    }
  }

  @Test func multicastFromOneSource() async throws {
    try await withLoop { loop in
      let group = "232.1.2.3"
      let receiver = try loop.udp.bind(port: 0, options: .reuseAddress)
      let sender = try loop.udp.bind(host: "127.0.0.1", port: 0)
      try sender.setMulticastInterface("127.0.0.1")
      let address = try SocketAddress(group, port: Int(receiver.localAddress().port))
      // Another's datagrams are not ours, even though the group is.
      try receiver.join(group: group, interface: "127.0.0.1", source: "127.0.0.9")
      try await sender.send("not for us", to: address).value
      try receiver.join(group: group, interface: "127.0.0.1", source: "127.0.0.1")
      try await sender.send("for us", to: address).value
      #expect(try await receiver.next().value?.bytes == "for us")
      try receiver.leave(group: group, interface: "127.0.0.1", source: "127.0.0.1")
      receiver.close()
      sender.close()
    }
  }

  @Test(arguments: ["nobody", "127.0.0.1", "239.1.2.3\0"]) func whatIsNoGroup(group: String) async throws {
    try await withLoop { loop in
      let socket = try loop.udp.bind(port: 0)
      await expectError(.invalidArgument, of: try socket.join(group: group))
      await expectError(.invalidArgument, of: try socket.join(group: "239.1.2.3", interface: "nobody"))
      await expectError(.invalidArgument, of: try socket.join(group: "239.1.2.3", source: "nobody"))
      await expectError(.invalidArgument, of: try socket.setMulticastInterface("nobody"))
      socket.close()
    }
  }

  @Test func hopsAndBroadcast() async throws {
    try await withLoop { loop in
      let socket = try loop.udp.bind(port: 0)
      try socket.setTTL(1)
      try socket.setTTL(255)
      for wrong in [0, 256, -1, Int.max] {
        await expectError(.invalidArgument, of: try socket.setTTL(wrong))
      }
      for wrong in [-1, 256, Int.min] {
        await expectError(.invalidArgument, of: try socket.setMulticastTTL(wrong))
      }
      let everybody = try SocketAddress("255.255.255.255", port: 9)
      await expectError(.permissionDenied, of: try await socket.send("x", to: everybody).value)
      try socket.setBroadcast(true)
      // There may be no way to it, but there is leave.
      let code = await code { () async throws(UVError) in try await socket.send("x", to: everybody).value }
      #expect(code != .permissionDenied)
      socket.close()
    }
  }

  @Test func buffersOfTheSystem() async throws {
    try await withLoop { loop in
      let socket = try loop.udp.bind(host: "127.0.0.1", port: 0)
      try socket.setReceiveBufferSize(20_000)
      try socket.setSendBufferSize(30_000)
      #expect(try socket.receiveBufferSize() >= 20_000)
      #expect(try socket.sendBufferSize() >= 30_000)
      for wrong in [0, -1, Int.max] {
        await expectError(.invalidArgument, of: try socket.setSendBufferSize(wrong))
      }
      try await socket.close().value
      await expectError(.badDescriptor, of: try socket.sendBufferSize())
      let timer = try LoopTimer(loop)
      await expectError(.notSupported, of: try timer.receiveBufferSize())
      let (reading, writing) = try loop.pipes.pair()
      await expectError(.notSocket, of: try writing.sendBufferSize())
      timer.close()
      reading.close()
      writing.close()
    }
  }
}
