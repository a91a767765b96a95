import Testing
import UVTLS
import UVTestSupport

/// What happens if the other end, or somebody between, does what no peer should.
@Suite struct CutTests {
  private let certificates = Certificates.shared

  @Test("A handshake that is cut after any byte ends both ends with an error", arguments: [false, true])
  func everyByte(isResumed: Bool) async throws {
    let (server, client) = try (certificates.server(), certificates.client())
    try await withLoop(within: 120) { loop in
      if isResumed { #expect(try await !resumes(loop, server, client)) }
      var cut = 0
      var isWhole = false
      while !isWhole {
        // A session is used once, so a resumed handshake is resumed for as long as there are some.
        isWhole = try await Self.run(loop, server, client, cutAfter: cut)
        cut += cut < 600 ? 1 : 7
      }
      #expect(cut > 600)
    }
  }

  /// Forwards so many bytes between the two ends. Returns whether the handshake was done on both.
  private nonisolated(nonsending) static func run(
    _ loop: EventLoop, _ server: TLSContext, _ client: TLSContext, cutAfter count: Int
  ) async throws -> Bool {
    let (near, proxyNear) = try loop.pipes.socketPair()
    let (far, proxyFar) = try loop.pipes.socketPair()
    var left = count
    func forward(_ from: PipeConnection, _ to: PipeConnection) {
      from.start { result in
        guard case .success(let bytes?) = result else { return }
        let part = Bytes(bytes.prefix(left))
        left -= part.count
        to.write(part) { _ in
          if left > 0 { return }
          proxyNear.close()
          proxyFar.close()
        }
      }
    }
    if count == 0 { proxyNear.close() }
    forward(proxyNear, proxyFar)
    forward(proxyFar, proxyNear)
    let log = Log<UVError.Code?>()
    var connections: [TLSConnection] = []
    func note(_ result: Result<TLSConnection, UVError>) {
      if case .success(let connection) = result { connections.append(connection) }
      log.append(result.error?.code)
    }
    loop.tls.secure(near, server, note)
    loop.tls.secure(far, client, host: "localhost", note)
    while log.values.count < 2 { try await loop.sleep(for: .zero).value }
    for code in log.values where code != nil {
      #expect([.tlsTruncated, .connectionReset, .brokenPipe].contains(code), "cut after \(count)")
    }
    for connection in connections { connection.close() }
    proxyNear.close()
    proxyFar.close()
    return connections.count == 2 && left > 0
  }

  @Test("A byte that is changed on the way is an error for the reader, and an alert for the writer")
  func changedBytes() async throws {
    let (server, client) = try (certificates.server(), certificates.client())
    try await withLoop { loop in
      for place in [0, 1, 3, 5, 20, 40] {
        let (near, proxyNear) = try loop.pipes.socketPair()
        let (far, proxyFar) = try loop.pipes.socketPair()
        var isTampering = false
        proxyNear.start { if case .success(let bytes?) = $0 { proxyFar.write(bytes) { _ in } } }
        proxyFar.start { result in
          guard case .success(let bytes?) = result else { return }
          var changed = Array(bytes)
          if isTampering { changed[min(place, changed.count - 1)] ^= 0x55 }
          proxyNear.write(Bytes(changed)) { _ in }
        }
        let (a, b) = try await handshake(loop, near, far, server, client).get()
        // The tickets come first, so that the next bytes are the tampered ones.
        try await a.write("x").value
        #expect(try await b.next().value == "x")
        isTampering = true
        try await b.write(Bytes(repeating: 65, count: 40)).value
        if place == 3 {
          // A record that claims to be longer waits for bytes that never come.
          b.close()
          await expectError(.tls, .tlsTruncated, of: try await a.next().value)
        } else {
          await expectError(.tls, of: try await a.next().value)
          await expectError(.tls, of: try await a.write("y").value)
          await expectError(.tls, of: try await b.next().value)
        }
        for stream in [a, b, proxyNear, proxyFar] { stream.close() }
      }
    }
  }

  @Test func `Bytes at random are no handshake`() async throws {
    let server = try certificates.server()
    var generator = SystemRandomNumberGenerator()
    let inputs = (0..<100).map { number -> Bytes in
      var bytes = (0..<(number * 7)).map { _ in UInt8.random(in: 0...255, using: &generator) }
      // Half of them look like a record of a handshake.
      if number % 2 == 0, bytes.count > 5 {
        bytes.replaceSubrange(0..<5, with: [22, 3, 1, 0, UInt8(bytes.count & 255)])
      }
      return Bytes(bytes)
    }
    try await withLoop { loop in
      for input in inputs {
        let (near, far) = try loop.pipes.socketPair()
        try await far.write(input).value
        try await far.shutdown().value
        await expectError(.tls, .tlsTruncated, of: try await loop.tls.secure(near, server).value)
        far.close()
      }
    }
  }
}
