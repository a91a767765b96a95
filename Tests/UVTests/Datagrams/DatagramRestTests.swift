import Testing
import UV
import UVTestSupport

/// A socket that nobody asks any more receives nothing, whenever that came about: it doesn't keep its loop running, and what
/// has come is there for the next reader.
@Suite struct DatagramRestTests {
  /// What the reader does in the middle of what comes.
  enum Way: CaseIterable {
    case stops, asksNoMore, isCancelled, stopsLater

    /// Takes `count` datagrams, and no more.
    func read(_ socket: UDPSocket, _ count: Int, _ note: @escaping (Bytes) -> Void) {
      var rest = count
      switch self {
      case .stops:
        socket.start {
          if let datagram = $0.value ?? nil { note(datagram.bytes) }
          rest -= 1
          if rest == 0 { socket.stop() }
        }
      case .stopsLater:
        socket.start {
          rest -= 1
          if rest >= 0, let datagram = $0.value ?? nil { note(datagram.bytes) }
          if rest == 0 {
            // In the same turn, after the batch.
            socket.stop()
            socket.start { _ in Issue.record("a handler that was stopped at once") }
            socket.stop()
          }
        }
      case .asksNoMore:
        func ask() {
          socket.next {
            if let datagram = $0.value ?? nil { note(datagram.bytes) }
            rest -= 1
            if rest > 0 { ask() }
          }
        }
        ask()
      case .isCancelled:
        var others: [PendingRequest] = []
        for _ in 0..<count {
          socket.next {
            if let datagram = $0.value ?? nil { note(datagram.bytes) }
            rest -= 1
            if rest == 0 { for other in others { other.cancel() } }
          }
        }
        for _ in 0..<3 { others.append(socket.next { _ in }) }
      }
    }
  }

  @Test(
    "A reader that stops after some has the socket rest, and the next one gets the others in order",
    arguments: Way.allCases,
    [[], .receiveInBatches] as [UDP.Options])
  func stops(way: Way, options: UDP.Options) async throws {
    try await withLoop { loop in
      for (sent, taken) in [(1, 1), (2, 1), (5, 1), (5, 3), (5, 5), (30, 1), (30, 19), (30, 20), (30, 21)] {
        let receiver = try loop.udp.bind(host: "127.0.0.1", port: 0, options: options)
        let sender = try loop.udp.connect(to: receiver.localAddress())
        for number in 0..<sent { try await sender.send(Bytes("\(number)")).value }
        var received: [Bytes] = []
        way.read(receiver, taken) { received.append($0) }
        try await loop.until { received.count == taken }
        try await loop.settle()
        #expect(received.count == taken)
        #expect(!receiver.isActive, "\(sent) sent, \(taken) taken")
        // What comes now waits in the system.
        try await sender.send("later").value
        try await loop.settle()
        #expect(!receiver.isActive && received.count == taken)
        receiver.start { if let datagram = $0.value ?? nil { received.append(datagram.bytes) } }
        try await loop.until { received.count == sent + 1 }
        #expect(received == (0..<sent).map { Bytes("\($0)") } + ["later"])
        receiver.stop()
        try await loop.settle()
        #expect(!receiver.isActive)
        receiver.close()
        sender.close()
      }
    }
  }

  @Test(
    "A loop whose socket is open and isn't asked ends its run", arguments: Way.allCases,
    [[], .receiveInBatches] as [UDP.Options])
  func runEnds(way: Way, options: UDP.Options) async throws {
    let log = Log<String>()
    try await withThread {
      let loop = try EventLoop()
      let receiver = try loop.udp.bind(host: "127.0.0.1", port: 0, options: options)
      let sender = try loop.udp.connect(to: receiver.localAddress())
      for number in 0..<5 { #expect(try sender.trySend(Bytes("\(number)"))) }
      sender.close()
      way.read(receiver, 2) { log.append("\($0)") }
      // The socket stays open.
      loop.runCallbacks { _ in }
      #expect(log.values == ["0", "1"] && !receiver.isActive && !receiver.isClosing)
      loop.shutdown()
    }
  }

  @Test(
    "A socket that is closed in the middle of what comes says nothing more",
    arguments: [[], .receiveInBatches] as [UDP.Options], [1, 3, 5])
  func closes(options: UDP.Options, taken: Int) async throws {
    let log = Log<String>()
    try await withCallbackLoop { loop in
      let receiver = try loop.udp.bind(host: "127.0.0.1", port: 0, options: options)
      let sender = try loop.udp.connect(to: receiver.localAddress())
      for number in 0..<5 { #expect(try sender.trySend(Bytes("\(number)"))) }
      sender.close()
      receiver.start { result in
        switch result {
        case .success(let datagram?): log.append("\(datagram.bytes)")
        case .success(nil): log.append("end")
        case .failure(let error): log.append(error.name)
        }
        if log.values.count == taken { receiver.close() }
      }
    }
    #expect(Array(log.values.prefix(taken)) == (0..<taken).map { "\($0)" })
    #expect(log.values.count == taken + 1)
    #expect(log.values.last == "end")
  }
}
