import Testing
import UVTLS
import UVTestSupport

/// The time of a handshake runs from when its connection is accepted, at whatever moment the peer sends whatever part of
/// its first message.
@Suite struct LateHelloTests {
  private let certificates = Certificates.shared

  /// How much of its first message the peer sends in the end.
  enum Part: CaseIterable, Sendable { case byte, half, allButOne, all, garbage }

  @Test("A peer that speaks late has no more time than one that speaks at once", arguments: Part.allCases)
  func remaining(part: Part) async throws {
    let (server, client) = try (certificates.server(), certificates.client())
    try await withLoop { loop in
      let failures = Log<UVError.Code>()
      let listener = try loop.tls.listen(
        host: "127.0.0.1", port: 0, server, handshakeTimeout: .seconds(500),
        onHandshakeFailure: { failures.append($0.code) })
      listener.start { _ in }
      let hello = try await firstMessage(loop, client)
      let peer = try await loop.tcp.connect(to: listener.localAddress()).value
      try await loop.until { loop.statistics.accepted == 1 }
      // It has been accepted by now.
      let end = loop.clock.now.advanced(by: .seconds(500))
      try await loop.sleep(for: .milliseconds(400)).value
      let bytes: Bytes =
        switch part {
        case .byte: Bytes(hello[..<1])
        case .half: Bytes(hello[..<(hello.count / 2)])
        case .allButOne: Bytes(hello[..<(hello.count - 1)])
        case .all: hello
        case .garbage: "GET / HTTP/1.1\r\n\r\n"
        }
      try await peer.write(bytes).value
      if part == .all { #expect(try await peer.next().value?.isEmpty == false) }
      if part == .garbage {
        try await loop.until { failures.values == [.tls] }
      } else {
        try await loop.settle()
        let timers = loop.snapshot().timers.entries.map(\.dueIn).filter { $0 > .seconds(100) }
        let now = loop.clock.now
        // By a part of the pause, as the loop's own time may be old.
        #expect(
          timers.count == 1 && now.advanced(by: timers[0]) <= end.advanced(by: .milliseconds(300)),
          "\(timers)")
      }
      listener.close()
      peer.close()
    }
  }

  @Test(
    "A peer that says nothing more is ended in time, whatever it has sent",
    arguments: Part.allCases.prefix(4), [0, 60])
  func ended(part: Part, pause: Int) async throws {
    let (server, client) = try (certificates.server(), certificates.client())
    try await withLoop { loop in
      let failures = Log<UVError.Code>()
      let listener = try loop.tls.listen(
        host: "127.0.0.1", port: 0, server, handshakeTimeout: .milliseconds(120),
        onHandshakeFailure: { failures.append($0.code) })
      listener.start { _ in }
      let hello = try await firstMessage(loop, client)
      let begin = loop.clock.now
      let peer = try await loop.tcp.connect(to: listener.localAddress()).value
      try await loop.sleep(for: .milliseconds(pause)).value
      let count = part == .byte ? 1 : part == .half ? hello.count / 2 : hello.count - (part == .all ? 0 : 1)
      try await peer.write(Bytes(hello[..<count])).value
      try await loop.until { !failures.values.isEmpty }
      #expect(failures.values == [.timedOut])
      #expect(begin.duration(to: loop.clock.now) >= .milliseconds(119))
      listener.close()
      peer.close()
    }
  }
}
