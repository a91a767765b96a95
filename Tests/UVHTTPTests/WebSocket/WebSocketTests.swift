#if Everything
import Testing
import UVFutures
import UVPromises
import UVTestSupport

@testable import UVHTTP

/// The WebSocket of a server, over real sockets, with a client that knows only frames.
@Suite struct WebSocketTests {
  private nonisolated(nonsending) static func echo(_ socket: WebSocket) async throws {
    for try await message in socket { try await socket.send(message).value }
  }

  @Test("Messages of every size come and go, over every transport", arguments: Transport.allCases)
  func echoes(transport: Transport) async throws {
    try await withSocket(over: transport, Self.echo) { peer in
      for count in [0, 1, 125, 126, 127, 16384, 16385, 65535, 65536, 300_000] {
        for first: UInt8 in [0x81, 0x82] {
          let payload = Bytes((0..<count).map { first == 0x81 ? 97 + UInt8($0 % 26) : UInt8($0 & 0xff) })
          let sending = peer.stream.loop.spawn { () async throws(UVError) in
            try await peer.send(frame(first, payload))
          }
          let received = try #require(try await peer.read())
          #expect(received.first == first && received.payload == payload, "\(count) bytes")
          try await sending.value
        }
      }
      try await peer.close()
    }
  }

  @Test("A message in many frames is one, and a ping between them is answered before it is complete")
  func fragments() async throws {
    try await withSocket(Self.echo) { peer in
      try await peer.send(frame(0x01, "a"), frame(0x89, "p"), frame(0x00, "b"))
      #expect(try await peer.read() == Received(first: 0x8a, payload: "p"))
      try await peer.send(frame(0x80, "c"))
      #expect(try await peer.read() == Received(first: 0x81, payload: "abc"))
      try await peer.close()
    }
  }

  @Test("Frames that come a byte at a time, and many at once, are answered in order")
  func slowly() async throws {
    try await withSocket(Self.echo) { peer in
      for (first, answer): (UInt8, UInt8) in [(0x81, 0x81), (0x89, 0x8a), (0x82, 0x82)] {
        for byte in frame(first, "one") { try await peer.stream.write([byte]).value }
        #expect(try await peer.read() == Received(first: answer, payload: "one"))
      }
      try await peer.stream.write(frames((0..<1000).map { frame(0x81, Bytes("\($0)")) })).value
      for number in 0..<1000 {
        #expect(try await peer.read() == Received(first: 0x81, payload: Bytes("\(number)")))
      }
      try await peer.close()
    }
  }

  @Test("A message that is written bit by bit has a frame for each part, and others wait for its end")
  func writer() async throws {
    try await withSocket { socket in
      let writer = try socket.begin(.text)
      #expect(writer.loop === socket.loop)
      #expect(throws: UVError(.alreadyInProgress, operation: "webSocket")) { try socket.begin(.binary) }
      // A character in two parts.
      try await writer.write([0xce]).value
      var sent = 0
      socket.send("after") { _ in sent += 1 }
      let cancelled = socket.send("never") { result in
        #expect(throws: UVError(.cancelled, operation: "webSocket")) { try result.get() }
        sent += 1
      }
      cancelled.cancel()
      try await writer.write([0xbb, 0x61]).value
      try await socket.ping("p").value
      try await writer.finish().value
      await #expect(throws: UVError(.alreadyInProgress, operation: "webSocket")) {
        try await writer.write("x").value
      }
      let empty = try socket.begin(.binary)
      try await empty.finish().value
      #expect(sent == 2)
      try await socket.close().value
    } peer: { peer in
      #expect(try await peer.read() == Received(first: 0x01, payload: [0xce]))
      #expect(try await peer.read() == Received(first: 0x00, payload: [0xbb, 0x61]))
      #expect(try await peer.read() == Received(first: 0x89, payload: "p"))
      try await peer.send(frame(0x8a, "p"))
      #expect(try await peer.read() == Received(first: 0x80, payload: ""))
      #expect(try await peer.read() == Received(first: 0x81, payload: "after"))
      #expect(try await peer.read() == Received(first: 0x82, payload: ""))
      #expect(try await peer.read() == .close(1000))
      try await peer.send(frame(0x88, [0x03, 0xe8]))
      #expect(try await peer.read() == nil)
    }
  }

  @Test("A writer that is dropped, or that writes what isn't text, closes with 1011")
  func badWriters() async throws {
    try await withSocket { socket in
      do {
        let writer = try socket.begin(.binary)
        try await writer.write("a").value
      }
      await #expect(throws: UVError(.brokenPipe, operation: "webSocket")) {
        try await socket.send("b").value
      }
      #expect(try await socket.next().value == nil)
    } peer: { peer in
      #expect(try await peer.read() == Received(first: 0x02, payload: "a"))
      #expect(try await peer.read() == .close(1011))
      try await peer.send(frame(0x88, [0x03, 0xf3]))
      #expect(try await peer.read() == nil)
    }
    try await withSocket { socket in
      let writer = try socket.begin(.text)
      try await writer.write([0xce]).value
      await #expect(throws: UVError(.invalidArgument, operation: "webSocket")) {
        try await writer.finish().value
      }
      #expect(try await socket.next().value == nil)
    } peer: { peer in
      #expect(try await peer.read() == Received(first: 0x01, payload: [0xce]))
      #expect(try await peer.read() == .close(1011))
      try await peer.send(frame(0x88, ""))
      #expect(try await peer.read() == nil)
    }
  }

  @Test("Pings are answered and pongs taken while nobody asks; the answer to the last ping answers all")
  func pings() async throws {
    try await withSocket { socket in
      var answered = 0
      for data: Bytes in ["a", "b"] { socket.ping(data) { _ in answered += 1 } }
      socket.ping("gone") { result in
        #expect(throws: UVError(.cancelled, operation: "webSocket")) { try result.get() }
      }.cancel()
      await #expect(throws: UVError(.invalidArgument, operation: "webSocket")) {
        try await socket.ping(Bytes(repeating: 0, count: 126)).value
      }
      try await socket.ping("c").value
      #expect(answered == 2)
      // The peer's end is seen, too.
      let lost = await failure { try await socket.ping("d").value }
      #expect(lost == UVError(.brokenPipe, operation: "webSocket"))
      #expect(socket.peerClose == WebSocketClose(code: .goingAway, reason: "bye"))
    } peer: { peer in
      for data: Bytes in ["a", "b", "gone", "c"] {
        #expect(try await peer.read() == Received(first: 0x89, payload: data))
      }
      try await peer.send(frame(0x89, "x"), frame(0x8a, "other"), frame(0x8a, "c"))
      #expect(try await peer.read() == Received(first: 0x8a, payload: "x"))
      #expect(try await peer.read() == Received(first: 0x89, payload: "d"))
      try await peer.send(frame(0x88, frames([[0x03, 0xe9], "bye"])))
      #expect(try await peer.read() == .close(1001))
      #expect(try await peer.read() == nil)
    }
  }

  @Test("What the peer sent before it closed is read, then the end")
  func peerCloses() async throws {
    try await withSocket { socket in
      while socket.peerClose == nil, socket.core.phase != .open || !socket.core.isCongested {
        if try await socket.next().value == nil { break }
        try await socket.loop.sleep(for: .milliseconds(1)).value
      }
      #expect(socket.peerClose?.code == .noStatus)
      await #expect(throws: UVError(.brokenPipe, operation: "webSocket")) {
        try await socket.send("late").value
      }
      #expect(throws: UVError(.brokenPipe, operation: "webSocket")) { try socket.begin(.text) }
      try await socket.close().value
    } peer: { peer in
      try await peer.send(frame(0x81, "a"), frame(0x81, "b"), frame(0x88, ""))
      #expect(try await peer.read() == Received(first: 0x88, payload: ""))
      #expect(try await peer.read() == nil)
    }
  }

  @Test("A close waits for the peer's, and refuses codes that can't be sent, and reasons that are too long")
  func closes() async throws {
    try await withSocket { socket in
      for code: UInt16 in [0, 999, 1004, 1005, 1006, 1015, 1100, 2999, 5000] {
        await #expect(throws: UVError(.invalidArgument, operation: "webSocket"), "\(code)") {
          try await socket.close(WebSocketCloseCode(rawValue: code)).value
        }
      }
      await #expect(throws: UVError(.invalidArgument, operation: "webSocket")) {
        try await socket.close(reason: String(repeating: "ä", count: 62)).value
      }
      try await socket.send("last").value
      let reason = String(repeating: "x", count: 123)
      let reading = socket.loop.spawn { () async throws(UVError) in try await socket.next().value }
      try await socket.loop.sleep(for: .milliseconds(1)).value
      try await socket.close(WebSocketCloseCode(rawValue: 4000), reason: reason).value
      #expect(try await reading.value == "on its way")
      #expect(socket.peerClose == WebSocketClose(code: .normal, reason: ""))
      try await socket.close().value
      #expect(try await socket.next().value == nil)
    } peer: { peer in
      #expect(try await peer.read() == Received(first: 0x81, payload: "last"))
      let close = try await peer.read()
      #expect(close?.code == 4000 && close?.payload.count == 125)
      try await peer.send(frame(0x81, "on its way"), frame(0x88, [0x03, 0xe8]))
      #expect(try await peer.read() == nil)
    }
  }

  @Test(
    "A peer that breaks the protocol or a limit gets the reason, and the source fails",
    arguments: [
      (frame(0x83, "a"), 1002, UVError.Code.protocolError), (frame(0x81, [0xff]), 1007, .protocolError),
      (frame(0x81, "a", mask: nil), 1002, .protocolError),
      (frame(0x82, Bytes(repeating: 0, count: 1001)), 1009, .messageTooLong),
      (frame(0x88, [0x03, 0xed]), 1002, .protocolError),
    ])
  func faults(bytes: Bytes, code: Int, error: UVError.Code) async throws {
    var limits = WebSocketLimits()
    limits.message = 1000
    try await withSocket(limits: limits) { socket in
      let before = try await socket.next().value
      #expect(before == "before")
      await #expect(throws: UVError(error, operation: "webSocket")) { try await socket.next().value }
      await #expect(throws: UVError(error, operation: "webSocket")) { try await socket.send("a").value }
      await #expect(throws: UVError(error, operation: "webSocket")) { try await socket.close().value }
    } peer: { peer in
      // What comes after the fault is dropped, so that the peer gets the last word.
      try await peer.send(frame(0x81, "before"), bytes, frame(0x81, Bytes(repeating: 97, count: 70_000)))
      #expect(try await peer.read()?.code == code)
      #expect(try await peer.read() == nil)
    }
  }

  @Test("Callbacks, promises and publishers speak as tasks do")
  func styles() async throws {
    try await withSockets { socket in
      switch try await socket.next().value {
      case "callbacks":
        socket.send("callbacks") { _ in socket.close { _ in } }
        _ = try await socket.next().value
      case "promises":
        try await socket.send("promises").promise().then { socket.close().promise() }.value
      case "publishers":
        let messages = socket.publisher().sink { _ in
        } receiveValue: {
          _ = socket.send($0)
        }
        _ = try await socket.send("publishers").value
        try await socket.close().value
        messages.cancel()
      default: Issue.record("another message")
      }
    } clients: { _, connect in
      for style: Bytes in ["callbacks", "promises", "publishers"] {
        let peer = RawPeer(stream: try await connect())
        try await peer.shakeHands()
        try await peer.send(frame(0x81, style))
        #expect(try await peer.read() == Received(first: 0x81, payload: style))
        #expect(try await peer.read() == .close(1000))
        try await peer.send(frame(0x88, ""))
        #expect(try await peer.read() == nil)
        peer.stream.close()
      }
    }
  }
}

/// The error of the package that something fails with.
nonisolated(nonsending) func failure(_ body: nonisolated(nonsending) () async throws -> Void) async
  -> UVError?
{
  do { try await body() } catch { return error as? UVError }
  return nil
}
#endif
