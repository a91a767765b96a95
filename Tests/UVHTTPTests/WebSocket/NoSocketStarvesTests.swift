#if Everything
import COpenSSL
import Testing
import UVTLS
import UVTestSupport

@testable import UVHTTP

/// The contract of ``NobodyStarvesTests`` for WebSockets: a peer that is stuck, slow or silent ends by its limits, though it
/// goes on as it likes, and the others talk meanwhile.
@Suite struct NoSocketStarvesTests {
  enum Bad: CaseIterable, Sendable {
    case saysNothing, tricklesBytes, tricklesEmptyRecords, neverEndsItsMessage, readsNothing
  }

  private static var limits: WebSocketLimits {
    var limits = WebSocketLimits()
    (limits.silence, limits.keepAlive) = (.milliseconds(150), .milliseconds(70))
    (limits.messageTimeout, limits.closeTimeout) = (.milliseconds(200), .milliseconds(100))
    limits.minimumRate = 1 << 26
    return limits
  }

  /// A frame of a client: its first byte, and what it has, of which the mask changes nothing.
  private static func frame(_ first: UInt8, _ text: Bytes) -> Bytes {
    Bytes([first, 0x80 | UInt8(text.count), 0, 0, 0, 0] + Array(text))
  }

  @Test(
    "A bad peer's WebSocket ends, and the others' go on", arguments: NobodyStarvesTests.Way.allCases,
    Bad.allCases)
  func served(way: NobodyStarvesTests.Way, bad: Bad) async throws {
    if way == .tcp, bad == .tricklesEmptyRecords { return }
    try await withLoop { loop in
      let (server, connect) = try NobodyStarvesTests.listen(loop, way)
      let ends = Log<UVError.Code?>()
      let serving = loop.spawn { () async throws(UVError) in
        for try await exchange in server {
          loop.spawn {
            let isBad = exchange.request.path == "/bad"
            let error = await failure {
              let socket = try await exchange.webSocket(limits: Self.limits).value
              if isBad, bad == .readsNothing {
                try await socket.send(WebSocketMessage.binary(Bytes(repeating: 1, count: 20_000_000))).value
              }
              for try await message in socket { try await socket.send(message).value }
            }
            if isBad { ends.append(error?.code) }
          }
        }
      }
      var isDone = false
      func open(_ path: String) async throws -> Wire {
        let wire = try await connect()
        let fields = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        let key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        try await wire.stream.write(Bytes("GET \(path) HTTP/1.1\r\nHost: a\r\n" + fields + key)).value
        _ = try await wire.stream.read(until: "\r\n\r\n", limit: 1000).value
        return wire
      }
      let wire = try await open("/bad")
      defer {
        isDone = true
        wire.close()
        server.close()
      }
      let holding = loop.spawn { try? await Self.hold(wire, bad) { isDone } }
      try await loop.withDeadline(NobodyStarvesTests.bound) {
        let good = try await open("/")
        for _ in 0..<3 {
          try await good.stream.write(Self.frame(0x81, "hello")).value
          #expect(try await good.stream.read(exactly: 7).value?.suffix(5).elementsEqual("hello".utf8) == true)
        }
        good.close()
        try await loop.until { !ends.values.isEmpty }
      }
      isDone = true
      wire.close()
      await holding.value
      server.close()
      try await serving.value
    }
  }

  private nonisolated(nonsending) static func hold(_ wire: Wire, _ bad: Bad, until isDone: () -> Bool)
    async throws
  {
    let stream = wire.stream
    func wait() async throws { try await stream.loop.sleep(for: .milliseconds(5)).value }
    switch bad {
    case .saysNothing: break
    case .readsNothing: wire.isDeaf = true
    case .tricklesBytes:
      wire.isSlow = true
      try await stream.write([0x82, 0xFE, 0x20, 0, 0, 0, 0, 0]).value
      try await stream.write(Bytes(repeating: 1, count: 0x2000)).value
    case .tricklesEmptyRecords:
      guard let stream = stream as? TLSConnection else { return }
      while !isDone() {
        _ = SSL_key_update(stream.raw, SSL_KEY_UPDATE_REQUESTED)
        _ = SSL_do_handshake(stream.raw)
        stream.flushFilter()
        try await wait()
      }
    case .neverEndsItsMessage:
      try await stream.write(frame(0x01, "a")).value
      while !isDone() {
        try await stream.write(frame(0x00, "a")).value
        try await wait()
      }
    }
  }
}
#endif
