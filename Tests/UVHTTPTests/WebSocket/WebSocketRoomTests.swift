#if Everything
import Testing
import UVTestSupport

@testable import UVHTTP

/// WebSockets that get the same messages.
@Suite struct WebSocketRoomTests {
  @Test(
    "A message goes to all but the speaker, or to one, and nobody gets a name that somebody has",
    arguments: [Transport.tcp, .tls])
  func sends(transport: Transport) async throws {
    let room = UnsafeTransferBox(WebSocketRoom<String>())
    try await withSockets(over: transport) { socket in
      let room = room.value
      guard case .text(let name)? = try await socket.next().value else { return }
      let isMember = room.join(socket, as: name)
      try await socket.send(isMember ? "welcome" : "taken").value
      if !isMember { return try await socket.close().value }
      defer { room.leave(name) }
      for try await message in socket {
        if case .text("whisper") = message {
          room.send("psst", to: "b")
        } else {
          room.send(message, except: name)
        }
      }
    } clients: { _, connect in
      var peers: [RawPeer] = []
      for name: Bytes in ["a", "b", "c", "b"] {
        let peer = RawPeer(stream: try await connect())
        try await peer.shakeHands()
        try await peer.send(frame(0x81, name))
        let answer: Bytes = peers.count == 3 ? "taken" : "welcome"
        #expect(try await peer.read()?.payload == answer)
        peers.append(peer)
      }
      #expect(room.value.names.sorted() == ["a", "b", "c"] && room.value.contains("a"))
      try await peers[0].send(frame(0x81, "hello"), frame(0x81, "whisper"), frame(0x82, "x"))
      for message in [Received(first: 0x81, payload: "hello"), Received(first: 0x81, payload: "psst")] {
        #expect(try await peers[1].read() == message)
      }
      #expect(try await peers[2].read()?.payload == "hello")
      for peer in peers[1...2] { #expect(try await peer.read() == Received(first: 0x82, payload: "x")) }
      for peer in peers[..<3] { try await peer.close() }
      #expect(try await peers[3].read() == .close(1000))
      try await peers[3].send(frame(0x88, ""))
      #expect(try await peers[3].read() == nil)
      for peer in peers { peer.stream.close() }
    }
    #expect(room.value.names.isEmpty)
  }

  @Test("A member that is written a message bit by bit misses what is too much to wait for its end")
  func behindWriter() async throws {
    try await withSocket { socket in
      let room = WebSocketRoom<Int> { .text("missed \($0)") }
      #expect(room.join(socket, as: 1))
      let writer = try socket.begin(.binary)
      for _ in 0..<100 { room.send(.text(String(repeating: "x", count: 10_000))) }
      #expect(socket.isAboveHighWaterMark)
      let waiting = socket.core.next.count
      #expect(waiting == 7)
      try await writer.finish().value
      #expect(try await socket.next().value != nil)
      #expect(!socket.isAboveHighWaterMark)
      try await socket.close().value
    } peer: { peer in
      #expect(try await peer.read()?.payload == "")
      for _ in 0..<7 { #expect(try await peer.read()?.payload.count == 10_000) }
      #expect(try await peer.read()?.payload == "missed 93")
      try await peer.send(frame(0x81, "go"))
      #expect(try await peer.read() == .close(1000))
      try await peer.send(frame(0x88, [0x03, 0xe8]))
      #expect(try await peer.read() == nil)
    }
  }

  @Test(
    "A member that doesn't read misses messages, takes a bounded amount of memory, and hears how many",
    arguments: Transport.allCases)
  func slow(transport: Transport) async throws {
    let (count, page) = (2000, String(repeating: "x", count: 10_000))
    try await withSocket(over: transport) { socket in
      let room = WebSocketRoom<Int> { .text("missed \($0)") }
      #expect(room.join(socket, as: 1))
      #expect(try await socket.next().value != nil)
      var most = 0
      for _ in 0..<count {
        room.send(.text(page))
        most = max(most, socket.core.output.count + socket.core.stream.writeQueueSize)
      }
      #expect(most < 100_000)
      // It reads now.
      try await socket.send("go").value
      let next = try await socket.next().value
      #expect(next != nil)
      room.send("last")
      #expect(try await socket.next().value == nil)
    } peer: { peer in
      try await peer.send(frame(0x81, "begin"))
      var (read, missed) = (0, 0)
      while let received = try await peer.read() {
        let text = "\(received.payload)"
        if text.hasPrefix("missed ") { missed += Int(text.dropFirst(7)) ?? 0 }
        if received.payload.count == page.utf8.count { read += 1 }
        if read + missed == count, missed > 0, text.hasPrefix("missed") {
          try await peer.send(frame(0x81, "next"))
        }
        if text == "last" { break }
      }
      #expect(read > 0 && missed > 0 && read + missed == count)
      try await peer.close()
    }
  }

  @Test(
    "A member that reads misses nothing of what is sent in one turn, if that isn't more than the system takes",
    arguments: [(4, 65_536), (30, 5000)], Transport.allCases)
  func quick(messages: (count: Int, size: Int), transport: Transport) async throws {
    let page = String(repeating: "x", count: messages.size)
    try await withSocket(over: transport) { socket in
      let room = WebSocketRoom<Int> { .text("missed \($0)") }
      #expect(room.join(socket, as: 1))
      for _ in 0..<messages.count { room.send(.text(page)) }
      #expect(!socket.isAboveHighWaterMark)
      let end = try await socket.next().value
      #expect(end == nil)
    } peer: { peer in
      for _ in 0..<messages.count { #expect(try await peer.read()?.payload.count == messages.size) }
      try await peer.close()
    }
  }

  /// A room whose one member, number 1, is behind.
  private static func crowdedRoom(_ socket: WebSocket, _ page: String) -> WebSocketRoom<Int> {
    let room = WebSocketRoom<Int> { .text("missed \($0)") }
    #expect(room.join(socket, as: 1))
    for _ in 0..<2000 { room.send(.text(page)) }
    #expect(socket.isAboveHighWaterMark)
    return room
  }

  @Test("A member that has left while it was behind gets nothing more of the room")
  func left() async throws {
    let page = String(repeating: "x", count: 10_000)
    try await withSocket { socket in
      let room = Self.crowdedRoom(socket, page)
      room.leave(1)
      try await socket.send("last").value
      #expect(try await socket.next().value == .text("go"))
    } peer: { peer in
      while let received = try await peer.read(), received.payload != "last" {
        #expect(received.payload.count == page.utf8.count)
      }
      try await peer.send(frame(0x81, "go"))
      // The program drops its WebSocket.
      #expect(try await peer.read() == .close(1011))
      try await peer.send(frame(0x88, ""))
      #expect(try await peer.read() == nil)
    }
  }

  @Test(
    "A slow member that is closed gets what it was sent before and then the close, and nothing of the room any more",
    arguments: [true, false])
  func closed(leaves: Bool) async throws {
    let page = String(repeating: "x", count: 10_000)
    try await withSocket { socket in
      let room = Self.crowdedRoom(socket, page)
      let closing = socket.close(.goingAway, reason: "too slow")
      if leaves { room.leave(1) }
      for _ in 0..<100 { room.send(.text(page)) }
      try await closing.value
      room.send("last")
      #expect(room.contains(1) != leaves)
    } peer: { peer in
      // The peer reads when all has been said.
      try await peer.stream.loop.settle()
      var last: Received?
      while let received = try await peer.read(), received.first != 0x88 {
        #expect(received.payload.count == page.utf8.count)
        last = received
      }
      #expect(last != nil)
      try await peer.send(frame(0x88, [0x03, 0xe9]))
      #expect(try await peer.read() == nil)
    }
  }

  private final class UnsafeTransferBox<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }
}
#endif
