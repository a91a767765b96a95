#if Everything
import CTestHooks
import Testing
import UVTestSupport

@testable import UVHTTP

/// Messages that are sent together, and are more than what may wait for a peer.
@Suite struct LongMessageTests {
  /// How a message is sent.
  enum Kind: CaseIterable {
    case binary, text, encoded, parts

    func send(_ size: Int, to socket: WebSocket, _ done: @escaping Completion<Void>) throws {
      let bytes = Bytes(repeating: 97, count: size)
      switch self {
      case .binary: socket.send(.binary(bytes), done)
      case .text: socket.send(.text("\(bytes)"), done)
      case .encoded: socket.send(WebSocketMessage.binary(bytes).encoded(), done)
      case .parts:
        let writer = try socket.begin(.binary)
        writer.write(Bytes(bytes[..<(size / 2)])) { _ in }
        writer.write(Bytes(bytes[(size / 2)...])) { _ in }
        writer.finish(done)
      }
    }
  }

  /// Sends as many messages as the system takes, and counts turns and writes.
  private nonisolated(nonsending) static func send(
    _ kind: Kind, _ messages: (count: Int, size: Int), awaited: Bool, over transport: Transport,
    to socket: WebSocket
  ) async throws {
    try await socket.loop.settle()
    test_faults_arm(5, Int32(TEST_FAULT_SYSTEM.rawValue), .max, 1, "write")
    defer { test_faults_disarm() }
    func writes() -> Int { Int(test_faults_calls("write") + test_faults_calls("writev")) }
    let before = writes()
    let turn = TurnEnd(socket.loop)
    var called = 0
    for number in 1...messages.count {
      try kind.send(messages.size, to: socket) { _ in called += 1 }
      while awaited && called < number { await giveWay(socket.loop) }
    }
    while called < messages.count { await giveWay(socket.loop) }
    #expect(!turn.hasCome)
    // Those that are copied leave once they are as much as may wait.
    let size = kind == .parts ? messages.size / 2 : messages.size
    let isCopied = size <= 16_384 || kind == .text || socket.core.role == .client
    // TLS seals a part at a time.
    if transport == .tls { return }
    #expect(writes() - before <= (isCopied ? messages.count * (messages.size + 10) / 65_536 : 0))
  }

  @Test(
    "Messages that are sent in one turn, one after the other or at once, wait for nothing while the system has room, and leave together",
    .enabled(if: test_allocations_can_count() != 0), arguments: Kind.allCases,
    [(4, 65_536), (8, 20_000), (30, 5000)])
  func together(kind: Kind, messages: (count: Int, size: Int)) async throws {
    for awaited in [false, true] {
      for transport in Transport.allCases {
        // A pipe takes less.
        let messages = (count: transport == .pipe ? messages.count / 2 : messages.count, size: messages.size)
        try await withSocket(over: transport) { socket in
          try await Self.send(kind, messages, awaited: awaited, over: transport, to: socket)
          try await socket.close().value
        } peer: { peer in
          var count = 0
          while count < messages.count * messages.size {
            count += try #require(try await peer.read()).payload.count
          }
          if kind == .parts { _ = try await peer.read() }
          #expect(try await peer.read() == .close(1000))
          try await peer.send(frame(0x88, ""))
          #expect(try await peer.read() == nil)
        }
        try await withSocket(over: transport) { socket in
          for _ in 0..<messages.count { _ = try #require(try await socket.next().value) }
          let end = try await socket.next().value
          #expect(end == nil)
        } peer: { peer in
          let socket = WebSocket(WebSocketCore(peer.stream, .client, WebSocketLimits()), nil)
          try await Self.send(kind, messages, awaited: awaited, over: transport, to: socket)
          try await socket.close().value
        }
      }
    }
  }

  /// Lets microtasks run.
  private nonisolated(nonsending) static func giveWay(_ loop: EventLoop) async {
    await withUnsafeContinuation { continuation in loop.queueMicrotask { continuation.resume() } }
  }
}
#endif
