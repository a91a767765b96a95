import Foundation
import Testing
import UV
import UVTestSupport

/// Requests to send datagrams that wait for room, and are cancelled: what libuv has got leaves, and nothing else of them.
@Suite(.onTheMachine("sockets of the Unix domain for datagrams")) struct CancelledDatagramTests {
  /// A socket, its peer, and how many datagrams that has room for, which are there if it is full.
  func withSocket(
    isFull: Bool,
    _ body:
      nonisolated(nonsending) @escaping @Sendable (EventLoop, UDPSocket, _ peer: Int32, _ room: Int)
      async throws -> Void
  ) async throws {
    try await withLoop { loop in
      var ends: [Int32] = [-1, -1]
      #if os(Linux)
      let kind = Int32(SOCK_DGRAM.rawValue)
      #else
      let kind = SOCK_DGRAM
      #endif
      precondition(socketpair(AF_UNIX, kind, 0, &ends) == 0)
      let socket = try loop.udp.open(fileDescriptor: ends[0])
      var before = 0
      while try socket.trySend("before") { before += 1 }
      if !isFull { _ = try await Self.receive(ends[1], loop) }
      try await body(loop, socket, ends[1], before)
      socket.close()
      close(ends[1])
    }
  }

  private func withFullSocket(
    _ body:
      nonisolated(nonsending) @escaping @Sendable (EventLoop, UDPSocket, _ peer: Int32, _ before: Int)
      async throws -> Void
  ) async throws { try await withSocket(isFull: true, body) }

  /// All that waits at the peer, and what still comes for a while.
  nonisolated(nonsending) static func receive(_ peer: Int32, _ loop: EventLoop) async throws
    -> [String]
  {
    var (texts, quiet) = ([String](), 0)
    while quiet < 5 {
      var buffer = [UInt8](repeating: 0, count: 100)
      let count = recv(peer, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      if count >= 0 {
        texts.append(String(decoding: buffer.prefix(count), as: UTF8.self))
        quiet = 0
      } else {
        quiet += 1
        try await loop.sleep(for: .milliseconds(1)).value
      }
    }
    return texts
  }

  /// The requests of a test, by the datagrams that each has, and which of them are cancelled.
  static let programs: [(requests: [Int], cancelled: [Int])] = [
    ([1], [0]), ([3], [0]), ([1, 1], [0]), ([1, 1], [1]), ([3, 2], [0]), ([3, 2], [1]), ([3, 2], [0, 1]),
    ([3, 2], [1, 0]),
    ([1, 3, 1], [1]), ([2, 2, 2], [0, 2]), ([1, 1, 1], [0, 1, 2]), ([0, 1], [1]), ([2, 2, 2], []),
  ]

  @Test(
    "Only the first datagram of all still leaves, and those of the others", arguments: 0..<programs.count,
    [false, true])
  func cancelled(program: Int, twice: Bool) async throws {
    let (requests, cancelled) = Self.programs[program]
    try await withFullSocket { loop, socket, peer, before in
      let log = Log<String>()
      var pending: [PendingRequest] = []
      var expected: [String] = []
      var isFirst = true
      for (number, count) in requests.enumerated() {
        let texts = (0..<count).map { "\(number).\($0)" }
        let done: Completion<Void> = { log.append("\(number) \($0.error?.name ?? "ok")") }
        pending.append(
          count == 1
            ? socket.send(Bytes(texts[0]), done) : socket.send(texts.map { Datagram(Bytes($0)) }, done))
        let isCancelled = cancelled.contains(number)
        // libuv has the first datagram of the first request.
        expected += isCancelled ? isFirst ? Array(texts.prefix(1)) : [] : texts
        if count > 0 { isFirst = false }
      }
      #expect(socket.sendQueueCount == requests.reduce(0, +))
      #expect(socket.sendQueueSize == 3 * requests.reduce(0, +))
      for number in cancelled { pending[number].cancel() }
      if twice { for number in cancelled { pending[number].cancel() } }
      #expect(socket.sendQueueCount == expected.count)
      #expect(socket.sendQueueSize == 3 * expected.count)
      let texts = try await Self.receive(peer, loop)
      #expect(Array(texts.dropFirst(before)) == expected)
      try await loop.until { log.values.count == requests.count }
      #expect(
        log.values.sorted()
          == requests.indices.map {
            "\($0) \(cancelled.contains($0) && requests[$0] > 0 ? "ECANCELED" : "ok")"
          })
      #expect(socket.sendQueueCount == 0 && socket.sendQueueSize == 0)
      // It sends on.
      try await socket.send([Datagram("x"), Datagram("y")]).value
      #expect(try await Self.receive(peer, loop) == ["x", "y"])
    }
  }

  @Test("A socket that closes answers all, and sends nothing more", arguments: [[1], [3], [1, 2], [2, 2]])
  func closes(requests: [Int]) async throws {
    try await withFullSocket { loop, socket, peer, before in
      let log = Log<String>()
      for (number, count) in requests.enumerated() {
        socket.send((0..<count).map { Datagram(Bytes("\(number).\($0)")) }) {
          log.append($0.error?.name ?? "ok")
        }
      }
      try await socket.close().value
      #expect(log.values == requests.map { _ in "ECANCELED" })
      #expect(socket.sendQueueCount == 0 && socket.sendQueueSize == 0)
      #expect(try await Self.receive(peer, loop).count == before)
      await expectError(.badDescriptor, of: try await socket.send("x").value)
      await expectError(.badDescriptor, of: try await socket.send([Datagram("x")]).value)
    }
  }

  @Test(
    "A datagram that can't be sent ends its request, and neither those before it nor the next request",
    arguments: 0..<3)
  func failing(place: Int) async throws {
    try await withFullSocket { loop, socket, peer, before in
      let log = Log<String>()
      var datagrams = ["a", "b", "c"].map { Datagram($0 as Bytes) }
      // The system has no datagrams of this size.
      datagrams[place].bytes = Bytes(repeating: 1, count: 10 << 20)
      socket.send(datagrams) { log.append($0.error?.name ?? "ok") }
      socket.send("next") { log.append($0.error?.name ?? "ok") }
      let texts = try await Self.receive(peer, loop)
      #expect(Array(texts.dropFirst(before)) == ["a", "b", "c"].prefix(place) + ["next"])
      try await loop.until { log.values.count == 2 }
      #expect(log.values == ["EMSGSIZE", "ok"])
      #expect(socket.sendQueueCount == 0 && socket.sendQueueSize == 0)
    }
  }
}
