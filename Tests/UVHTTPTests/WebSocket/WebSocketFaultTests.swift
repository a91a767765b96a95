#if Everything
import Foundation
import Testing
import UVTestSupport

@testable import UVHTTP

/// Peers that break off, are silent, or don't read, and programs that let go, in each state of a WebSocket.
@Suite struct WebSocketFaultTests {
  private static let conversation = frames([
    Bytes(HandshakeTests.head()), frame(0x81, "one"), frame(0x89, "p"), frame(0x01, "a"), frame(0x8a, ""),
    frame(0x80, "b"), frame(0x82, Bytes(repeating: 1, count: 200)), frame(0x88, [0x03, 0xe8]),
  ])

  /// Echoes, and takes every end.
  private nonisolated(nonsending) static func echo(_ socket: WebSocket) async {
    do { for try await message in socket { try await socket.send(message).value } } catch {}
  }

  @Test("A conversation that ends at any byte leaves nothing behind", arguments: [Transport.tcp, .tls])
  func ends(transport: Transport) async throws {
    try await withSockets(over: transport, Self.echo) { loop, connect in
      let whole = Self.conversation
      for cut in 0...whole.count where transport == .tcp || cut % 7 == 0 {
        let stream = try await connect()
        try await stream.write(Bytes(whole[..<cut])).value
        try await stream.shutdown().value
        let answer = try await stream.readToEnd(limit: 10_000).value
        if cut == whole.count { #expect(answer.suffix(4).elementsEqual([0x88, 2, 0x03, 0xe8])) }
        stream.close()
      }
    }
  }

  @Test("A conversation that is reset at any byte leaves nothing behind")
  func resets() async throws {
    try await withSockets(Self.echo) { loop, connect in
      let whole = Self.conversation
      for cut in 0...whole.count {
        let stream = try await connect()
        try await stream.write(Bytes(whole[..<cut])).value
        if cut % 3 == 0 { try await loop.sleep(for: .milliseconds(1)).value }
        (stream as? TCPConnection)?.closeReset()
      }
    }
  }

  @Test("An end without a close is one of the connection, for readers, senders and closers")
  func brokenOff() async throws {
    try await withSocket { socket in
      let end = UVError(.endOfFile, operation: "webSocket")
      await #expect(throws: end) { try await socket.next().value }
      await #expect(throws: end) { try await socket.send("a").value }
      await #expect(throws: end) { try await socket.ping().value }
      await #expect(throws: end) { try await socket.close().value }
      #expect(socket.peerClose == nil)
    } peer: { peer in
      try await peer.stream.shutdown().value
      #expect(try await peer.stream.readToEnd(limit: 100).value.isEmpty)
    }
  }

  @Test("Pings of a peer that doesn't read take no memory: only the last one is answered in the end")
  func pingFlood() async throws {
    try await withSocket { socket in
      var isDone = false
      let asking = socket.loop.spawn { () async throws(UVError) in
        defer { isDone = true }
        return try await socket.next().value
      }
      var most = 0
      while !isDone {
        most = max(most, socket.core.output.count + socket.core.stream.writeQueueSize)
        try await socket.loop.sleep(for: .milliseconds(1)).value
      }
      #expect(try await asking.value == "done")
      // No more than the mark and what one read has.
      #expect(most < 200_000)
      while socket.core.owedPong != nil { try await socket.loop.sleep(for: .milliseconds(1)).value }
      try await socket.close().value
    } peer: { peer in
      let pings = frames((0..<1000).map { _ in frame(0x89, Bytes(repeating: 97, count: 125)) })
      for _ in 0..<100 { try await peer.stream.write(pings).value }
      try await peer.send(frame(0x89, "last"), frame(0x81, "done"))
      var pongs = 0
      var last: Received?
      while let received = try await peer.read(), received.first == 0x8a {
        (pongs, last) = (pongs + 1, received)
      }
      #expect(pongs > 100 && last?.payload == "last")
      try await peer.send(frame(0x88, ""))
      while try await peer.read() != nil {}
    }
  }

  @Test("An answer that is owed doesn't come after that to a later ping")
  func owedPong() async throws {
    let box = UnsafeTransferBox()
    try await withSocket(over: .pipe) { socket in
      // Little leaves at a time.
      try socket.core.stream.setSendBufferSize(4096)
      box.core = socket.core
      try await socket.send(.binary(Bytes(repeating: 1, count: 200_000))).value
      #expect(try await socket.next().value == nil)
    } peer: { peer in
      let loop = peer.stream.loop
      try await loop.until { box.core?.isCongested ?? false }
      let core = try #require(box.core)
      try await peer.send(frame(0x89, "first"))
      try await loop.until { core.owedPong == "first" }
      // The one long write goes on, and less waits than the mark.
      var count = 0
      while core.isCongested { count += try await peer.stream.next().value?.count ?? 0 }
      try #require(core.writeCount == 1 && core.owedPong == "first")
      try await peer.send(frame(0x89, "second"))
      try await loop.until { core.output.count > 0 || core.writeCount > 1 }
      _ = try await peer.stream.read(exactly: 200_010 - count).value
      #expect(try await peer.read() == Received(first: 0x8a, payload: "second"))
      try await peer.close()
    }
  }

  @Test("A peer that never reads ends by the limits, and the sender is notified")
  func neverReads() async throws {
    var limits = WebSocketLimits()
    (limits.silence, limits.keepAlive) = (.milliseconds(100), nil)
    let isTold = Box(false)
    try await withSocket(limits: limits) { socket in
      defer { isTold.value = true }
      let page = Bytes(repeating: 1, count: 100_000)
      var sent = 0
      let error = await failure {
        while true {
          try await socket.send(.binary(page)).value
          sent += 1
        }
      }
      #expect(error?.code == .timedOut)
      #expect(sent < 500)
      let code = await failure { _ = try await socket.next().value }?.code
      #expect(code == .timedOut)
    } peer: { peer in
      try await peer.stream.loop.until { isTold.value == true }
    }
  }

  @Test("A silent peer gets a ping, stays if it answers, and goes if it doesn't")
  func keepAlive() async throws {
    var limits = WebSocketLimits()
    (limits.silence, limits.keepAlive) = (.milliseconds(60), .milliseconds(20))
    try await withSocket(limits: limits) { socket in
      let code = await failure { _ = try await socket.next().value }?.code
      #expect(code == .timedOut)
    } peer: { peer in
      for _ in 0..<5 {
        #expect(try await peer.read() == Received(first: 0x89, payload: "keep-alive"))
        try await peer.send(frame(0x8a, "keep-alive"))
      }
      #expect(try await peer.read() == Received(first: 0x89, payload: "keep-alive"))
      #expect(try await peer.read() == nil)
    }
  }

  @Test(
    "A peer that is slow to take a long message isn't silent, and gets its ping afterwards",
    arguments: [Transport.tcp, .tls])
  func slowReader(transport: Transport) async throws {
    let long = Bytes(repeating: 1, count: 32 << 20)
    var limits = WebSocketLimits()
    (limits.silence, limits.keepAlive) = (.seconds(10), .milliseconds(10))
    try await withSocket(limits: limits, over: transport) { socket in
      try await socket.send(.binary(long)).value
      _ = await failure { _ = try await socket.next().value }
    } peer: { peer in
      #expect(try await peer.stream.read(exactly: 10).value?.prefix(2).elementsEqual([0x82, 127]) == true)
      for _ in 0..<20 {
        _ = try await peer.stream.read(exactly: 1 << 18).value
        try await peer.stream.loop.sleep(for: .milliseconds(5)).value
      }
      let rest = Bytes(long[(20 << 18)...])
      #expect(try await peer.stream.read(exactly: rest.count).value == rest)
      #expect(try await peer.read() == Received(first: 0x89, payload: "keep-alive"))
    }
  }

  @Test("A message that trickles takes too long, though its peer is never silent")
  func trickles() async throws {
    var limits = WebSocketLimits()
    limits.messageTimeout = .milliseconds(50)
    try await withSocket(limits: limits) { socket in
      await #expect(throws: UVError(.timedOut, operation: "webSocket")) { try await socket.next().value }
    } peer: { peer in
      let sending = peer.stream.loop.spawn { () async in
        for _ in 0..<200 {
          do {
            try await peer.send(frame(0x01, "a"))
            try await peer.send(frame(0x00, "a"))
            while true {
              try await peer.send(frame(0x00, "a"))
              try await peer.stream.loop.sleep(for: .milliseconds(5)).value
            }
          } catch { return }
        }
      }
      let close = try await peer.read()
      #expect(close?.code == 1008)
      #expect(try await peer.read() == nil)
      peer.stream.close()
      await sending.value
    }
  }

  @Test("A peer that doesn't answer a close has the time that the limit says")
  func closeTimeout() async throws {
    var limits = WebSocketLimits()
    limits.closeTimeout = .milliseconds(30)
    try await withSocket(limits: limits) { socket in
      await #expect(throws: UVError(.timedOut, operation: "webSocket")) { try await socket.close().value }
      let code = await failure { _ = try await socket.next().value }?.code
      #expect(code == .timedOut)
    } peer: { peer in
      let close = try await peer.read()
      #expect(close == .close(1000))
      for _ in 0..<3 { try? await peer.send(frame(0x81, "still talking")) }
      while let received = try? await peer.read() { #expect(received.first == 0x88) }
    }
  }

  @Test("A server's WebSocket that is dropped closes with 1011, and messages that nobody wants hinder it not")
  func dropped() async throws {
    try await withSocket { socket in
      let message = try await socket.next().value
      #expect(message == "a")
    } peer: { peer in
      try await peer.send(frame(0x81, "a"), frame(0x81, "b"), frame(0x81, "c"))
      #expect(try await peer.read() == .close(1011))
      try await peer.send(frame(0x88, ""))
      #expect(try await peer.read() == nil)
    }
  }

  @Test("A client that drops its WebSocket goes with 1001")
  func droppedByClient() async throws {
    try await withSocket { socket in
      let end = try await socket.next().value
      #expect(end == nil)
      #expect(socket.peerClose?.code == .goingAway)
    } peer: { peer in
      let core = WebSocketCore(peer.stream, .client, WebSocketLimits())
      do { _ = WebSocket(core, nil) }
      while core.phase != .closed { try await peer.stream.loop.sleep(for: .milliseconds(1)).value }
    }
  }

  @Test("A WebSocket that is dropped on another thread ends its connection")
  func droppedElsewhere() async throws {
    try await withSocket { socket in
      // The handler's own reference goes first, and the other one on the thread.
      let box = UnsafeTransferBox()
      box.value = socket
      Thread {
        while !isKnownUniquelyReferenced(&box.value) { usleep(1000) }
        box.value = nil
      }.start()
    } peer: { peer in
      while try await peer.read() != nil {}
    }
  }

  private final class UnsafeTransferBox: @unchecked Sendable {
    var value: WebSocket?
    weak var core: WebSocketCore?
  }

  @Test("An iterator alone keeps the WebSocket")
  func iterator() async throws {
    try await withSockets { socket in
      var messages = socket.makeAsyncIterator()
      let first = try await messages.next()
      #expect(first == "a")
      #expect(try await messages.next() == nil)
    } clients: { _, connect in
      let peer = RawPeer(stream: try await connect())
      try await peer.shakeHands()
      try await peer.stream.loop.sleep(for: .milliseconds(5)).value
      try await peer.send(frame(0x81, "a"))
      try await peer.close()
      peer.stream.close()
    }
  }

  @Test("Each request can be cancelled, and the WebSocket goes on")
  func cancelled() async throws {
    try await withSocket { socket in
      let loop = socket.loop
      let cancelled = UVError.Code.cancelled
      let reading = loop.spawn { () async in await failure { _ = try await socket.next().value }?.code }
      let pinging = loop.spawn { () async in await failure { try await socket.ping("x").value }?.code }
      let page = Bytes(repeating: 1, count: 30 << 20)
      let sending = loop.spawn { () async in
        await failure { try await socket.send(.binary(page)).value }?.code
      }
      try await loop.sleep(for: .milliseconds(5)).value
      for task in [reading, pinging, sending] {
        task.cancel()
        #expect(await task.value == cancelled)
      }
      try await socket.send("whole").value
      let closing = loop.spawn { () async in await failure { try await socket.close().value }?.code }
      try await loop.sleep(for: .milliseconds(5)).value
      closing.cancel()
      #expect(await closing.value == cancelled)
      #expect(try await socket.next().value == nil)
    } peer: { peer in
      #expect(try await peer.read()?.first == 0x89)
      try await peer.stream.loop.sleep(for: .milliseconds(20)).value
      #expect(try await peer.read()?.payload.count == 30 << 20)
      #expect(try await peer.read() == Received(first: 0x81, payload: "whole"))
      #expect(try await peer.read() == .close(1000))
      try await peer.stream.loop.sleep(for: .milliseconds(20)).value
      try await peer.send(frame(0x88, [0x03, 0xe8]))
      #expect(try await peer.read() == nil)
    }
  }

  @Test("A loop that ends takes its WebSockets with it, also those that nobody reads")
  func loopEnds() async throws {
    makeCertificates()
    let box = UnsafeTransferBox()
    try await withLoop { loop in
      let server = try loop.http.listen(host: "127.0.0.1", port: 0)
      let peer = RawPeer(stream: try await loop.tcp.connect(to: server.localAddress()).value)
      let shaking = loop.spawn { () async throws in try await peer.shakeHands() }
      let exchange = try #require(try await server.next().value)
      let socket = try await exchange.webSocket().value
      try await shaking.value
      try await peer.send(frame(0x81, "unread"))
      try await loop.sleep(for: .milliseconds(5)).value
      box.core = socket.core
      peer.stream.close()
      server.close()
      socket.close()
    }
    #expect(box.core == nil)
  }
}
#endif
