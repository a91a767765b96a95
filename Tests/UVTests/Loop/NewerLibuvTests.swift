import Testing
import UV
import UVTestSupport

/// What newer libuvs do in another way must look the same on all of them. Run these tests with several:
/// `LD_LIBRARY_PATH=… swift test`.
@Suite struct NewerLibuvTests {
  /// The second number of libuv's version.
  private var minor: Int { Int(SystemInfo.libuvVersion.split(separator: ".")[1])! }

  @Test("A list of datagrams arrives whole and in order, however many one system call takes")
  func aListOfDatagramsArrives() async throws {
    try await withLoop { loop in
      let receiver = try loop.udp.bind(host: "127.0.0.1", port: 0)
      let address = try receiver.localAddress()
      for isConnected in [false, true] {
        let sender =
          try isConnected
          ? loop.udp.connect(to: address) : loop.udp.bind(host: "127.0.0.1", port: 0)
        // Several batches, and one that is not full.
        let list = (0..<47).map { Datagram(Bytes("\($0)"), to: isConnected ? nil : address) }
        try await sender.send(list).value
        for number in 0..<47 { #expect(try await receiver.next().value?.bytes == Bytes("\(number)")) }
        sender.close()
      }
      receiver.close()
    }
  }

  @Test("The first datagram of a list that fails fails the list, and those before it have been sent")
  func aListFailsWhereADatagramDoes() async throws {
    try await withLoop { loop in
      let receiver = try loop.udp.bind(host: "127.0.0.1", port: 0)
      let address = try receiver.localAddress()
      let connected = try loop.udp.connect(to: address)
      let bound = try loop.udp.bind(host: "127.0.0.1", port: 0)
      func check(
        _ sender: UDPSocket, _ good: Datagram, _ bad: Datagram, _ code: UVError.Code
      ) async throws {
        await expectError(code, of: try await sender.send([good, good, good, bad, good]).value)
        for _ in 0..<3 { #expect(try await receiver.next().value?.bytes == "good") }
        // Nothing came between: this is the next.
        try await sender.send(Bytes("next"), to: good.address).value
        #expect(try await receiver.next().value?.bytes == "next")
      }
      let tooLong = Bytes(repeating: 0, count: 65_508)
      try await check(bound, Datagram("good", to: address), Datagram(tooLong, to: address), .messageTooLong)
      try await check(bound, Datagram("good", to: address), Datagram("bad"), .destinationRequired)
      try await check(connected, Datagram("good"), Datagram(tooLong), .messageTooLong)
      try await check(connected, Datagram("good"), Datagram("bad", to: address), .alreadyConnected)
      for socket in [receiver, connected, bound] { socket.close() }
    }
  }

  @Test func `A loop says what it has done if its libuv counts that`() async throws {
    let minor = minor
    try await withLoop { loop in
      for _ in 0..<10 { try await loop.sleep(for: .milliseconds(1)).value }
      guard minor >= 45 else {
        let statistics = loop.statistics
        #expect(statistics.turns == nil && statistics.events == nil && statistics.eventsWaiting == nil)
        return
      }
      #expect(try #require(loop.statistics.turns) >= 10)
      let events = try #require(loop.statistics.events)
      let (reading, writing) = try loop.pipes.pair()
      try await writing.write("a").value
      _ = try await reading.next().value
      // libuv counts the events of a turn at its end.
      try await loop.sleep(for: .zero).value
      #expect(try #require(loop.statistics.events) > events)
      reading.close()
      writing.close()
    }
    let loop = try EventLoop()
    loop.shutdown()
    #expect(loop.statistics.turns == nil && loop.statistics.events == nil)
  }

  @Test func `Listeners share a port if both say so, and otherwise don't`() async throws {
    try await withLoop { loop in
      for host in ["127.0.0.1", "::1"] {
        let first = try loop.tcp.listen(host: host, port: 0, reusePort: true)
        let port = Int(try first.localAddress().port)
        let second = try loop.tcp.listen(host: host, port: port, reusePort: true)
        #expect(try second.localAddress() == first.localAddress())
        await expectError(.addressInUse, of: try loop.tcp.listen(host: host, port: port))
        first.close()
        second.close()
      }
    }
  }
}
