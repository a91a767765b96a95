#if Everything
import Testing
import UVTestSupport

@testable import UVHTTP

/// Messages of all lengths that are sent in one turn come whole and in order, and what waits is counted as long as it waits.
@Suite struct MessageOrderTests {
  /// Around what is copied, what leaves at once, and what the forms of a frame's head have room for.
  private static let sizes = [
    0, 1, 125, 126, 1000, 16_383, 16_384, 16_385, 20_000, 65_535, 65_536, 65_537, 70_000, 200_000,
  ]

  enum Kind: CaseIterable { case text, binary, encodedText, encodedBinary, parts, ping }

  private static func text(_ size: Int, _ number: Int) -> String {
    String(repeating: String(UnicodeScalar(UInt8(97 + number % 26))), count: size)
  }

  /// Sends a message without waiting.
  private static func send(_ kind: Kind, _ size: Int, _ number: Int, on socket: WebSocket) throws {
    let text = text(size, number)
    switch kind {
    case .text: socket.send(.text(text)) { _ in }
    case .binary: socket.send(.binary(Bytes(text))) { _ in }
    case .encodedText: socket.send(WebSocketMessage.text(text).encoded()) { _ in }
    case .encodedBinary: socket.send(WebSocketMessage.binary(Bytes(text)).encoded()) { _ in }
    case .parts:
      let writer = try socket.begin(.text)
      let bytes = Bytes(text)
      writer.write(Bytes(bytes[..<(size / 3)])) { _ in }
      writer.write(Bytes(bytes[(size / 3)...])) { _ in }
      writer.finish { _ in }
    case .ping: socket.ping(Bytes(text.prefix(100))) { _ in }
    }
  }

  private static func programs(_ seed: UInt64) -> [[(Kind, Int)]] {
    let draws = Draws(seed)
    // Each pair of sizes once, and longer programs.
    let pairs = sizes.flatMap { first in
      sizes.map { [(draws.one(of: Kind.allCases), first), (draws.one(of: Kind.allCases), $0)] }
    }
    let longer = (0..<20).map { _ in
      (0..<(3 + draws.draw(6))).map { _ in (draws.one(of: Kind.allCases), draws.one(of: sizes)) }
    }
    return pairs + longer
  }

  private static func words(_ message: WebSocketMessage) -> String {
    switch message {
    case .text(let text): "text \(text.utf8.count) \(text.first.map(String.init) ?? "")"
    case .binary(let bytes): "binary \(bytes.count) \(bytes.first.map { String(UnicodeScalar($0)) } ?? "")"
    }
  }

  private static func expected(_ program: [(Kind, Int)]) -> [String] {
    program.enumerated().compactMap { number, message in
      let (kind, size) = message
      let letter = size == 0 ? "" : String(UnicodeScalar(UInt8(97 + number % 26)))
      switch kind {
      case .text, .encodedText, .parts: return "text \(size) \(letter)"
      case .binary, .encodedBinary: return "binary \(size) \(letter)"
      case .ping: return nil
      }
    }
  }

  @Test("Messages of a turn come in the order in which they were sent", arguments: [true, false])
  func order(isByServer: Bool) async throws {
    try await withBothEnds(isByServer: isByServer) { _, sender, receiver in
      for program in Self.programs(isByServer ? 1 : 2) {
        for (number, message) in program.enumerated() {
          try Self.send(message.0, message.1, number, on: sender)
        }
        var found: [String] = []
        let expected = Self.expected(program)
        while found.count < expected.count, let message = try await receiver.next().value {
          found.append(Self.words(message))
        }
        #expect(found == expected, "\(program)")
      }
    }
  }

  @Test("What waits for the end of a message in parts counts until it leaves, is cancelled, or is lost")
  func waiting() async throws {
    try await withSocket { socket in
      let draws = Draws(3)
      let loop = socket.loop
      for round in 0..<40 {
        let writer = try socket.begin(.binary)
        var waiting: [(size: Int, pending: PendingRequest)] = []
        var outcomes: [Bool] = []
        var sent = 0
        for _ in 0..<12 {
          if draws.draw(3) == 0, !waiting.isEmpty {
            waiting.remove(at: draws.draw(waiting.count)).pending.cancel()
          } else {
            let size = draws.one(of: Self.sizes)
            let message: WebSocketMessage =
              draws.draw(2) == 0 ? .text(Self.text(size, 0)) : .binary(Bytes(repeating: 97, count: size))
            waiting.append((size, socket.send(message) { outcomes.append($0.error == nil) }))
            sent += 1
          }
          let count = waiting.reduce(0) { $0 + $1.size }
          #expect(socket.isAboveHighWaterMark == (count > 65_536), "round \(round): \(waiting.map(\.size))")
        }
        writer.finish { _ in }
        try await loop.until { outcomes.count == sent }
        #expect(outcomes.count { $0 } == waiting.count)
        try await loop.until { !socket.isAboveHighWaterMark }
      }
      // What is lost by a close counts no longer, either.
      let writer = try socket.begin(.binary)
      var lost = 0
      for _ in 0..<3 {
        socket.send(.binary(Bytes(repeating: 1, count: 50_000))) { lost += $0.error == nil ? 0 : 1 }
      }
      #expect(socket.isAboveHighWaterMark)
      socket.close()
      try await loop.until { lost == 3 }
      _ = try? await socket.next().value
      try await loop.until { !socket.isAboveHighWaterMark }
      withExtendedLifetime(writer) {}
    } peer: { peer in
      var close: Received?
      while close == nil, let received = try await peer.read() {
        if received.first == 0x88 { close = received }
      }
      #expect(close?.code == 1000)
      try await peer.send(frame(0x88, [0x03, 0xe8]))
      #expect(try await peer.read() == nil)
    }
  }

  @Test(
    "A member of a room whose message was cancelled, or that has caught up, gets what follows",
    arguments: [true, false])
  func room(isCancelled: Bool) async throws {
    try await withSocket { socket in
      let room = WebSocketRoom<String> { .text("missed \($0)") }
      #expect(room.join(socket, as: "a"))
      for _ in 0..<3 {
        let writer = try socket.begin(.binary)
        let pending = isCancelled ? socket.send(.binary(Bytes(repeating: 1, count: 70_000))) { _ in } : nil
        pending?.cancel()
        writer.finish { _ in }
        room.send(.text("to all"))
        try await socket.loop.until { !socket.isAboveHighWaterMark }
      }
      room.leave("a")
      try await socket.close().value
    } peer: { peer in
      for _ in 0..<3 {
        #expect(try await peer.read() == Received(first: 0x82, payload: ""))
        #expect(try await peer.read() == Received(first: 0x81, payload: "to all"))
      }
      #expect(try await peer.read()?.code == 1000)
      try await peer.send(frame(0x88, [0x03, 0xe8]))
      #expect(try await peer.read() == nil)
    }
  }
}
#endif
