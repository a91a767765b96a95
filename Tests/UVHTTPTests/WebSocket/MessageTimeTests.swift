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
}

extension String {
  fileprivate var bytes: Bytes { Bytes(self) }
}
#endif
