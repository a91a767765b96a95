import Foundation
import Testing
import UV
import UVTestSupport

@Suite struct UDPTests {
  #if os(Linux)
  private static let datagram = Int32(SOCK_DGRAM.rawValue)
  #else
  private static let datagram = SOCK_DGRAM
  #endif

  /// Two sockets on this machine, the second connected to the first.
  private func withSockets(
    options: UDP.Options = [], sourceLocation: SourceLocation = #_sourceLocation,
    _ body: nonisolated(nonsending) @escaping @Sendable (EventLoop, UDPSocket, UDPSocket) async throws -> Void
  ) async throws {
    try await withLoop(sourceLocation: sourceLocation) { loop in
      let receiver = try loop.udp.bind(host: "127.0.0.1", port: 0, options: options)
      let sender = try loop.udp.connect(to: receiver.localAddress())
      try await body(loop, receiver, sender)
      receiver.close()
      sender.close()
    }
  }

  @Test(arguments: ["127.0.0.1", "::1"]) func asyncEcho(host: String) async throws {
    try await withLoop { loop in
      let server = try loop.udp.bind(host: host, port: 0)
      let address = try server.localAddress()
      let serving = loop.spawn { () async throws(UVError) in
        for try await datagram in server {
          try await server.send([datagram]).value
          if datagram.bytes == "last" { break }
        }
        server.close()
      }
      let client = try loop.udp.bind(host: host, port: 0)
      for word in ["one", "two", "", "last"] as [Bytes] {
        try await client.send(word, to: address).value
        let answer = try await client.next().value
        #expect(answer?.bytes == word)
        #expect(answer?.address == address)
        #expect(answer?.isTruncated == false)
      }
      try await serving.value
      client.close()
    }
  }

  @Test func callbackEcho() async throws {
    let log = Log<Bytes?>()
    try await withCallbackLoop { loop in
      let server = try loop.udp.bind(host: "127.0.0.1", port: 0)
      server.start { result in
        guard let datagram = try? result.get() else { return }
        server.send(datagram.bytes, to: datagram.address) { _ in server.close() }
      }
      let client = try loop.udp.connect(to: server.localAddress())
      client.start { result in
        log.append(try? result.get()?.bytes)
        client.close()
      }
      client.send("hello") { _ in }
    }
    // The second is the end, by the close.
    #expect(log.values == ["hello", nil])
  }

  @Test(
    "No bytes from an address are a datagram, none from nowhere are nothing", .rule(20),
    arguments: [[], .receiveInBatches] as [UDP.Options])
  func aDatagramWithoutBytesIsDelivered(options: UDP.Options) async throws {
    try await withSockets(options: options) { loop, receiver, sender in
      try await sender.send("").value
      let datagram = try await receiver.next().value
      #expect(datagram?.bytes.count == 0)
      #expect(try datagram?.address == sender.localAddress())
      // Nothing else came with it.
      let more = loop.spawn { () async throws(UVError) in try await receiver.next().value }
      for _ in 0..<10 { try await loop.sleep(for: .zero).value }
      more.cancel()
      await expectError(.cancelled, of: try await more.value)
    }
  }

  @Test(arguments: [[], .receiveInBatches] as [UDP.Options])
  func theLargestDatagramIsWholeAndALargerOneIsRefused(options: UDP.Options) async throws {
    try await withSockets(options: options) { loop, receiver, sender in
      let largest = Bytes((0..<65507).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
      try await sender.send(largest).value
      let datagram = try await receiver.next().value
      #expect(datagram?.bytes == largest)
      #expect(datagram?.isTruncated == false)
      await expectError(.messageTooLong, of: try await sender.send(Bytes(repeating: 0, count: 65508)).value)
      await expectError(.messageTooLong, of: try sender.trySend(Bytes(repeating: 0, count: 65508)))
    }
  }

  @Test func nothingIsReceivedForNobody() async throws {
    try await withSockets { loop, receiver, sender in
      for number in 0..<10 { try await sender.send(Bytes("\(number)")).value }
      #expect(try await receiver.next().value?.bytes == "0")
      for _ in 0..<10 { try await loop.sleep(for: .zero).value }
      // What was not asked for still lies in the system's buffer: the size is the first's.
      var pending: Int32 = 0
      #expect(ioctl(try receiver.fileDescriptor(), UInt(FIONREAD), &pending) == 0)
      #expect(pending == 1)
      #expect(!receiver.isActive)
      for number in 1..<10 { #expect(try await receiver.next().value?.bytes == Bytes("\(number)")) }
    }
  }

  /// The buffer of a batch is sliced, and is free only when libuv says so.
  @Test("A batch received in one call is handed out as it is asked for, and none of it is lost", .rule(22))
  func aBatchIsDeliveredAsItIsAskedFor() async throws {
    try await withSockets(options: .receiveInBatches) { loop, receiver, sender in
      #expect(receiver.receivesInBatches)
      #expect(!sender.receivesInBatches)
      let words = (0..<50).map { Bytes("datagram \($0)") }
      for word in words { try await sender.send(word).value }
      // One at a time, with turns of the loop in between.
      for word in words[..<25] {
        #expect(try await receiver.next().value?.bytes == word)
        try await loop.sleep(for: .zero).value
      }
      // A handler that is stopped in the middle of a batch.
      let log = Log<Bytes?>()
      receiver.start { result in
        log.append(try? result.get()?.bytes)
        if log.values.count == 3 { receiver.stop() }
      }
      while log.values.count < 3 { try await loop.sleep(for: .zero).value }
      #expect(log.values == Array(words[25..<28]))
      var received: [Bytes] = []
      for try await datagram in receiver {
        received.append(datagram.bytes)
        if received.count == 22 { break }
      }
      #expect(received == Array(words[28...]))
    }
  }

  @Test func closingInTheMiddleOfABatch() async throws {
    let log = Log<Bytes?>()
    try await withSockets(options: .receiveInBatches) { loop, receiver, sender in
      for number in 0..<10 { try await sender.send(Bytes("\(number)")).value }
      receiver.start { result in
        log.append(try? result.get()?.bytes)
        if log.values.count == 3 { receiver.close() }
      }
      while receiver.isActive || loop.statistics.handles > 1 { try await loop.sleep(for: .zero).value }
      // A socket that its own program closes has ended, and not failed.
      #expect(try await receiver.next().value == nil)
    }
    #expect(log.values == ["0", "1", "2", nil])
  }

  @Test func droppingASocketThatReceivesABatch() async throws {
    try await withSockets(options: .receiveInBatches) { loop, receiver, sender in
      for number in 0..<10 { try await sender.send(Bytes("\(number)")).value }
      let log = Log<Bytes?>()
      var other: UDPSocket? = try loop.udp.bind(host: "127.0.0.1", port: 0, options: .receiveInBatches)
      for number in 0..<10 { try await receiver.send(Bytes("\(number)"), to: other!.localAddress()).value }
      other!.next { result in
        log.append(try? result.get()?.bytes)
        // The last reference goes here, with the rest of the batch to come.
        other = nil
      }
      while loop.statistics.handles > 2 { try await loop.sleep(for: .zero).value }
      #expect(log.values == ["0"])
    }
  }

  @Test func batchesAreSentInOrder() async throws {
    try await withSockets { loop, receiver, sender in
      let words = (0..<100).map { Bytes("datagram \($0)") }
      try await sender.send(words.map { Datagram($0) }).value
      for word in words { #expect(try await receiver.next().value?.bytes == word) }
      try await sender.send([]).value
      // An error is the request's, and what comes after it is not sent.
      await expectError(
        .messageTooLong,
        of: try await sender.send([Datagram("a"), Datagram(Bytes(repeating: 0, count: 65508)), Datagram("b")])
          .value)
      try await sender.send("c").value
      #expect(try await receiver.next().value?.bytes == "a")
      #expect(try await receiver.next().value?.bytes == "c")
    }
  }

  /// Two connected datagram sockets of the Unix domain: unlike those over UDP, their datagrams wait for the
  /// reader.
  private func withUnixSockets(
    _ body: nonisolated(nonsending) @escaping @Sendable (EventLoop, UDPSocket, UDPSocket) async throws -> Void
  ) async throws {
    try await withLoop { loop in
      var pair: [Int32] = [-1, -1]
      #expect(socketpair(AF_UNIX, Self.datagram, 0, &pair) == 0)
      let (receiver, sender) = try (
        loop.udp.open(fileDescriptor: pair[0]), loop.udp.open(fileDescriptor: pair[1])
      )
      try await body(loop, receiver, sender)
      receiver.close()
      sender.close()
    }
  }

  @Test func whatWaitsIsSentInOrderAndItsErrorsAreOnesOwn() async throws {
    try await withUnixSockets { loop, receiver, sender in
      let log = Log<String>()
      var sent = 0
      while sender.sendQueueCount == 0 {
        sender.send(Bytes("\(sent)")) { log.append($0.error?.name ?? "ok") }
        sent += 1
      }
      #expect(sender.sendQueueSize == "\(sent - 1)".utf8.count)
      #expect(try sender.trySend("no room") == false)
      let tooLong = Bytes(repeating: 0, count: 16 << 20)
      sender.send([Datagram("first"), Datagram(tooLong), Datagram("never")]) {
        log.append("list \($0.error?.name ?? "ok")")
      }
      let cancelled = sender.send("cancelled") { log.append("cancelled \($0.error?.name ?? "ok")") }
      sender.send([Datagram("second"), Datagram("last")]) { log.append("last \($0.error?.name ?? "ok")") }
      #expect(sender.sendQueueCount == 7)
      cancelled.cancel()
      #expect(sender.sendQueueCount == 6)
      var words: [Bytes] = []
      for try await datagram in receiver {
        #expect(datagram.address == nil)
        words.append(datagram.bytes)
        if datagram.bytes == "last" { break }
      }
      #expect(words == (0..<sent).map { Bytes("\($0)") } + ["first", "second", "last"])
      while !log.values.contains("last ok") { try await loop.sleep(for: .zero).value }
      #expect(log.values.filter { $0 != "ok" } == ["cancelled ECANCELED", "list EMSGSIZE", "last ok"])
      #expect(log.values.count == sent + 3)
      #expect((sender.sendQueueCount, sender.sendQueueSize) == (0, 0))
    }
  }

  @Test func whatWaitsWhenTheSocketClosesIsCancelled() async throws {
    try await withUnixSockets { loop, receiver, sender in
      let log = Log<UVError.Code?>()
      while sender.sendQueueCount < 3 { sender.send("x") { log.append($0.error?.code) } }
      let late = Log<UVError.Code?>()
      try await sender.close().value
      sender.send("y") { late.append($0.error?.code) }
      try await loop.sleep(for: .zero).value
      #expect(log.values.filter { $0 != nil } == [.cancelled, .cancelled, .cancelled])
      #expect(late.values == [.badDescriptor])
    }
  }

  @Test func cancellingWhatIsUnderWayLeavesTheRest() async throws {
    try await withUnixSockets { loop, receiver, sender in
      let log = Log<String>()
      var sent = 0
      while try sender.trySend(Bytes("\(sent)")) { sent += 1 }
      let under = sender.send([Datagram("under way"), Datagram("taken back")]) {
        log.append("under way \($0.error?.name ?? "ok")")
      }
      sender.send("next") { log.append("next \($0.error?.name ?? "ok")") }
      under.cancel()
      under.cancel()
      #expect(sender.sendQueueCount == 2)
      var words: [Bytes] = []
      for try await datagram in receiver {
        words.append(datagram.bytes)
        if datagram.bytes == "next" { break }
      }
      #expect(words == (0..<sent).map { Bytes("\($0)") } + ["under way", "next"])
      while log.values.count < 2 { try await loop.sleep(for: .zero).value }
      #expect(log.values == ["under way ECANCELED", "next ok"])
    }
  }

  @Test("A datagram isn't sent if the end of the one before it cancels it", arguments: [1, 3])
  func cancelledByTheOneBefore(count: Int) async throws {
    try await withUnixSockets { loop, receiver, sender in
      let log = Log<String>()
      while try sender.trySend("full") {}
      var next: PendingRequest?
      sender.send("first") {
        log.append("first \($0.error?.name ?? "ok")")
        next?.cancel()
        #expect((sender.sendQueueCount, sender.sendQueueSize) == (1, 4))
      }
      next = sender.send([Datagram](repeating: Datagram("never"), count: count)) {
        log.append("next \($0.error?.name ?? "ok")")
      }
      sender.send("last") { log.append("last \($0.error?.name ?? "ok")") }
      var words: [Bytes] = []
      for try await datagram in receiver where datagram.bytes != "full" {
        words.append(datagram.bytes)
        if datagram.bytes == "last" { break }
      }
      #expect(words == ["first", "last"])
      try await loop.until { log.values.count == 3 }
      #expect(log.values.sorted() == ["first ok", "last ok", "next ECANCELED"])
    }
  }

  @Test func connectingAndItsErrors() async throws {
    try await withSockets { loop, receiver, sender in
      let address = try receiver.localAddress()
      #expect(try sender.peerAddress() == address)
      await expectError(.alreadyConnected, of: try await sender.send("x", to: address).value)
      await expectError(.alreadyConnected, of: try sender.connect(to: address))
      await expectError(.destinationRequired, of: try await receiver.send("x").value)
      await expectError(.notConnected, of: try receiver.peerAddress())
      try sender.disconnect()
      await expectError(.notConnected, of: try sender.disconnect())
      try await sender.send("again", to: address).value
      #expect(try await receiver.next().value?.bytes == "again")
    }
  }

  @Test func anErrorIsToldAndIsNotTheEnd() async throws {
    try await withSockets { loop, receiver, sender in
      let address = try receiver.localAddress()
      try await receiver.close().value
      let waiting = loop.spawn { () async throws(UVError) in try await sender.next().value }
      try await loop.sleep(for: .zero).value
      try await sender.send("nobody there").value
      await expectError(.connectionRefused, of: try await waiting.value)
      let again = try loop.udp.bind(to: address)
      try await again.send("here I am", to: sender.localAddress()).value
      #expect(try await sender.next().value?.bytes == "here I am")
      again.close()
    }
  }

  @Test("An error reaches each waiter, and a handler gets it and what comes later")
  func anErrorIsToldToEveryone() async throws {
    try await withSockets { loop, receiver, sender in
      let address = try receiver.localAddress()
      try await receiver.close().value
      let log = Log<String>()
      for number in 0..<3 { sender.next { log.append("\(number) \($0.error?.code == .connectionRefused)") } }
      try await sender.send("nobody there").value
      try await loop.settle { log.values.count == 3 }
      #expect(log.values == ["0 true", "1 true", "2 true"])

      sender.start { result in
        log.append(
          result.error.map { "handler \($0.code == .connectionRefused)" } ?? "handler \(result.value!!.bytes)"
        )
      }
      try await sender.send("nobody there").value
      try await loop.settle { log.values.count == 4 }
      let again = try loop.udp.bind(to: address)
      try await again.send("here I am", to: sender.localAddress()).value
      try await loop.settle { log.values.count == 5 }
      #expect(log.values[3...] == ["handler true", "handler here I am"])
      sender.stop()
      again.close()
    }
  }

  @Test func bindingFails() async throws {
    try await withLoop { loop in
      let first = try loop.udp.bind(host: "127.0.0.1", port: 0)
      let address = try first.localAddress()
      await expectError(.addressInUse, of: try loop.udp.bind(to: address))
      await expectError(.addressNotAvailable, of: try loop.udp.bind(host: "192.0.2.1", port: 0))
      await expectError(.invalidArgument, of: try loop.udp.bind(host: "nobody", port: 0))
      await expectError(
        .invalidArgument, of: try loop.udp.bind(host: "127.0.0.1", port: 0, options: .ipv6Only))
      let shared = try loop.udp.bind(host: "127.0.0.1", port: 0, options: .reuseAddress)
      let other = try loop.udp.bind(to: shared.localAddress(), options: .reuseAddress)
      for socket in [first, shared, other] { socket.close() }
    }
  }

  @Test func closingEndsWhatIsPending() async throws {
    try await withSockets { loop, receiver, sender in
      let waiting = loop.spawn { () async throws(UVError) in try await receiver.next().value }
      try await loop.sleep(for: .zero).value
      receiver.close()
      receiver.close()
      #expect(try await waiting.value == nil)
      let address = try sender.localAddress()
      await expectError(.badDescriptor, of: try await receiver.send("x", to: address).value)
      // Each of these would make libuv open another socket.
      await expectError(.badDescriptor, of: try receiver.connect(to: address))
      await expectError(.badDescriptor, of: try receiver.join(group: "239.1.2.3"))
      await expectError(.badDescriptor, of: try receiver.setTTL(3))
      await expectError(.badDescriptor, of: try receiver.localAddress())
    }
  }

  @Test func aCancelledWaitLosesNothing() async throws {
    try await withSockets { loop, receiver, sender in
      let waiting = loop.spawn { () async throws(UVError) in try await receiver.next().value }
      try await loop.sleep(for: .zero).value
      waiting.cancel()
      await expectError(.cancelled, of: try await waiting.value)
      try await sender.send("still here").value
      #expect(try await receiver.next().value?.bytes == "still here")
    }
  }

  @Test func takingOverADescriptor() async throws {
    try await withLoop { loop in
      let descriptor = socket(AF_INET, Self.datagram, 0)
      let opened = try loop.udp.open(fileDescriptor: descriptor, options: .receiveInBatches)
      #expect(opened.receivesInBatches)
      let other = try loop.udp.bind(host: "127.0.0.1", port: 0)
      try await opened.send("from outside", to: other.localAddress()).value
      #expect(try await other.next().value?.bytes == "from outside")
      await expectError(.badDescriptor, of: try loop.udp.open(fileDescriptor: 0x7fff_ffff))
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      await expectError(.invalidArgument, of: try loop.udp.open(fileDescriptor: listener.fileDescriptor()))
      opened.close()
      other.close()
      listener.close()
    }
  }
}
