#if Everything
import Testing
import UVTestSupport

@testable import UVHTTP

/// The time of a message runs from its first byte to its last, whatever comes between, and begins anew with the next one.
@Suite struct MessageTimeTests {
  /// What the peer sends again and again within a message.
  enum Between: CaseIterable, Sendable {
    case ping, pong, fragments, emptyFragments, bytesOfAFrame, bytesOfAHead, pingsInAFrame

    /// The beginning of the message, and what follows it.
    func bytes(_ number: Int) -> Bytes {
      switch self {
      case .ping: number == 0 ? frame(0x01, "a") : frame(0x89, "\(number)".bytes)
      case .pong: number == 0 ? frame(0x02, "a") : frame(0x8a, "x")
      case .fragments: frame(number == 0 ? 0x01 : 0x00, "a")
      case .emptyFragments: frame(number == 0 ? 0x02 : 0x00, "")
      case .bytesOfAFrame: number == 0 ? Bytes(frame(0x82, Bytes(repeating: 1, count: 1000))[..<10]) : "x"
      // The length has eight bytes, and the key four.
      case .bytesOfAHead:
        Bytes(frame(0x82, Bytes(repeating: 1, count: 70_000))[min(number, 13)...min(number, 13)])
      case .pingsInAFrame:
        number == 0 ? frame(0x02, "a") : number % 3 == 0 ? frame(0x00, "b") : frame(0x89, "p")
      }
    }
  }

  @Test("A message that isn't complete in its time is refused, whatever comes within it")
  func between() async throws {
    for between in Between.allCases {
      var limits = WebSocketLimits()
      limits.messageTimeout = .milliseconds(60)
      try await withSocket(limits: limits) { socket in
        await #expect(throws: UVError(.timedOut, operation: "webSocket"), "\(between)") {
          try await socket.next().value
        }
      } peer: { peer in
        let loop = peer.stream.loop
        // Long enough, if nothing ends it.
        let sending = loop.spawn { () async in
          for number in 0..<200 {
            do { try await peer.send(between.bytes(number)) } catch { return }
            try? await loop.sleep(for: .milliseconds(6)).value
          }
          _ = try? await peer.stream.shutdown().value
        }
        var last: Received?
        while let received = try await peer.read() { last = received }
        #expect(last?.code == 1008, "\(between)")
        peer.stream.close()
        await sending.value
      }
    }
  }

  @Test("Messages that are each complete in time are taken, however long all of them take")
  func successive() async throws {
    var limits = WebSocketLimits()
    limits.messageTimeout = .milliseconds(400)
    try await withSocket(limits: limits) { socket in
      for number in 0...25 {
        let message = try await socket.next().value
        #expect(message == (number < 25 ? .text("ab") : nil))
      }
    } peer: { peer in
      for number in 0..<25 {
        try await peer.send(frame(0x01, "a"))
        try await peer.stream.loop.sleep(for: .milliseconds(20)).value
        // Between two messages there is no time that counts.
        if number % 2 == 0 {
          try await peer.send(frame(0x80, "b"))
        } else {
          try await peer.send(frame(0x8a, ""), frame(0x80, "b"), frame(0x8a, ""))
        }
      }
      try await peer.close()
    }
  }

  /// What comes whole, though in two parts.
  private static let whole: [(name: String, bytes: Bytes)] = [
    ("a ping", frame(0x89, "p")), ("a pong", frame(0x8a, "p")), ("an empty ping", frame(0x89, "")),
    ("a long ping", frame(0x89, Bytes(repeating: 97, count: 125))),
    ("a text", frame(0x81, "ab")), ("an empty message", frame(0x82, "")),
    ("a longer message", frame(0x82, Bytes(repeating: 1, count: 300))),
    ("a text in frames", frames([frame(0x01, "a"), frame(0x80, "b")])),
    ("a message in frames with a ping", frames([frame(0x02, "a"), frame(0x89, "p"), frame(0x80, "")])),
    ("a ping, a text and a pong", frames([frame(0x89, "p"), frame(0x81, "ab"), frame(0x8a, "")])),
  ]

  /// Where it is cut: in its head, in the rest, before its last byte.
  private static let cuts: [@Sendable (Int) -> Int] = [{ _ in 1 }, { _ in 5 }, { $0 / 2 }, { $0 - 1 }]

  @Test("No time runs after what has come whole in parts, of whatever kind it is and wherever it was cut")
  func afterParts() async throws {
    var limits = WebSocketLimits()
    limits.messageTimeout = .seconds(1)
    try await withSockets(limits: limits) { socket in
      var last: WebSocketMessage?
      for try await message in socket { last = message }
      #expect(last == .text("last"))
    } clients: { loop, connect in
      // All at once, since they wait.
      var clients: [LoopTask<Void, any Error>] = []
      for (name, bytes) in Self.whole {
        for cut in Set(Self.cuts.map { $0(bytes.count) }) {
          let peer = RawPeer(stream: try await connect())
          clients.append(
            loop.spawn { () async throws in
              try await peer.shakeHands()
              try await peer.send(Bytes(bytes[..<cut]))
              try await loop.sleep(for: .milliseconds(20)).value
              try await peer.send(Bytes(bytes[cut...]))
              try await loop.sleep(for: .milliseconds(1100)).value
              // Its own time has begun with its own first byte.
              let last = frames([frame(0x81, "last"), frame(0x88, [0x03, 0xe8])])
              try await peer.send(Bytes(last[..<3]))
              try await loop.sleep(for: .milliseconds(20)).value
              try await peer.send(Bytes(last[3...]))
              var end: Received?
              while let received = try await peer.read() { end = received }
              #expect(end == .close(1000), "\(name), cut at \(cut)")
              peer.stream.close()
            })
        }
      }
      for client in clients { try await client.value }
    }
  }
}

extension String {
  fileprivate var bytes: Bytes { Bytes(self) }
}
#endif
