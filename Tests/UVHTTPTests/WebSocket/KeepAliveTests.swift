#if Everything
import Testing
import UVTestSupport

@testable import UVHTTP

/// When a WebSocket sends its peer a ping by itself: after a silence, and not to one that says something, whatever that is.
@Suite struct KeepAliveTests {
  /// What a peer says within each time.
  enum Saying: CaseIterable, Sendable {
    case message, ping, pong, fragment, nothing

    func bytes(_ number: Int) -> Bytes? {
      switch self {
      case .message: frame(0x81, "a")
      case .ping: frame(0x89, "p")
      case .pong: frame(0x8a, "")
      case .fragment: frame(number == 0 ? 0x01 : 0x00, "a")
      case .nothing: nil
      }
    }
  }

  @Test("A peer that says something is sent no ping, and one that is silent is")
  func saying() async throws {
    for saying in Saying.allCases {
      var limits = WebSocketLimits()
      (limits.silence, limits.keepAlive) = (.seconds(100), .milliseconds(saying == .nothing ? 50 : 300))
      try await withSocket(limits: limits) { socket in
        while try await socket.next().value != nil {}
      } peer: { peer in
        for number in 0..<30 {
          if let bytes = saying.bytes(number) { try await peer.send(bytes) }
          try await peer.stream.loop.sleep(for: .milliseconds(12)).value
        }
        if saying == .fragment { try await peer.send(frame(0x80, "")) }
        try await peer.send(frame(0x88, [0x03, 0xe8]))
        var pings = 0
        while let received = try await peer.read() { pings += received.first == 0x89 ? 1 : 0 }
        // One at a time, which waits for its answer.
        #expect(pings == (saying == .nothing ? 1 : 0), "\(saying)")
      }
    }
  }

  @Test(
    "Without a time for it, or with one that is no shorter than the silence, no ping is sent",
    arguments: [nil, 60, 100])
  func without(keepAlive: Int?) async throws {
    var limits = WebSocketLimits()
    (limits.silence, limits.keepAlive) = (.milliseconds(60), keepAlive.map { .milliseconds($0) })
    try await withSocket(limits: limits) { socket in
      let ending = await code { () async throws(UVError) in try await socket.next().value }
      #expect(ending == .timedOut)
    } peer: { peer in
      let last = try await peer.read()
      #expect(last == nil)
      peer.stream.close()
    }
  }

  @Test("Each silence has a ping of its own, and each answer ends it", arguments: 1...4)
  func again(count: Int) async throws {
    var limits = WebSocketLimits()
    (limits.silence, limits.keepAlive) = (.seconds(100), .milliseconds(10))
    try await withSocket(limits: limits) { socket in
      while try await socket.next().value != nil {}
    } peer: { peer in
      for number in 0..<count {
        let ping = try await peer.read()
        #expect(ping == Received(first: 0x89, payload: "keep-alive"))
        // Whatever comes is an answer.
        try await peer.send(number % 2 == 0 ? frame(0x8a, "keep-alive") : frame(0x82, "x"))
      }
      try await peer.send(frame(0x88, [0x03, 0xe8]))
      while try await peer.read() != nil {}
    }
  }
}
#endif
