#if Everything
import COpenSSL
import Testing
import UVTLS
import UVTestSupport

@testable import UVHTTP

/// The contract of servers towards everybody: while clients that are stuck, slow, silent or greedy have all places, the
/// others are served all the same, and each of the bad ones ends by its total, though it goes on as it likes.
@Suite struct NobodyStarvesTests {
  enum Way: CaseIterable, Sendable { case tcp, tls, proxied }

  /// How a client holds its connection. None of them ends by itself.
  enum Bad: CaseIterable, Sendable {
    case saysNothing, tricklesBytes, tricklesEmptyRecords, readsNothing, neverEndsItsBody, asksForEver
  }

  static let cases = Way.allCases.flatMap { way in
    // Records are TLS's.
    Bad.allCases.filter { way != .tcp || $0 != .tricklesEmptyRecords }.map { (way, $0) }
  }

  /// The longest that anybody may wait here. All limits together make a second: a machine may be slow, and "for ever" is
  /// distinct from it all the same.
  static let bound = Duration.seconds(20)

  private static var limits: HTTPLimits {
    var limits = HTTPLimits()
    limits.connections = 2
    (limits.headTimeout, limits.idleTimeout) = (.milliseconds(150), .milliseconds(150))
    (limits.lifetime, limits.farewell, limits.lastSilence) = (
      .milliseconds(400), .milliseconds(100), .milliseconds(50)
    )
    limits.minimumRate = 1 << 26
    return limits
  }

  @Test(
    "All others are served while bad clients have all places, which end by their totals", arguments: cases)
  func served(way: Way, bad: Bad) async throws {
    try await withLoop { loop in
      let (server, connect) = try Self.listen(loop, way)
      let serving = loop.spawn { () async throws(UVError) in
        for try await exchange in server { loop.spawn { await Self.answer(exchange) } }
      }
      var isDone = false
      let wires = try await (0..<2).asyncMap { _ in
        let wire = try await connect()
        loop.spawn { try? await Self.hold(wire, bad) { isDone } }
        return wire
      }
      defer {
        isDone = true
        for wire in wires { wire.close() }
        server.close()
      }
      try await loop.withDeadline(Self.bound) {
        for _ in 0..<3 {
          let wire = try await connect()
          try await wire.stream.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").value
          #expect("\(try await wire.stream.readToEnd(limit: 10_000).value)".hasSuffix("\r\n\r\nx"))
          wire.close()
        }
        // The bad ones have gone as well, and still do what they did.
        try await loop.until { server.counts.connections == 0 }
      }
      server.close()
      try await serving.value
    }
  }

  private nonisolated(nonsending) static func answer(_ exchange: HTTPExchange) async {
    _ = try? await exchange.whileClientIsThere {
      let length = exchange.request.path == "/big" ? 20_000_000 : 1
      _ = try await exchange.body.readToEnd(limit: 1 << 20).value
      try await exchange.respond(HTTPResponse(status: .ok), Bytes(repeating: 0x78, count: length)).value
    }
  }

  // MARK: The bad ones

  private nonisolated(nonsending) static func hold(
    _ wire: Wire, _ bad: Bad, until isDone: () -> Bool
  ) async throws {
    let (stream, loop) = (wire.stream, wire.stream.loop)
    func wait() async throws { try await loop.sleep(for: .milliseconds(5)).value }
    switch bad {
    case .saysNothing: break
    case .tricklesBytes:
      wire.isSlow = true
      try await stream.write(Bytes("GET /" + String(repeating: "a", count: 8000))).value
    case .tricklesEmptyRecords:
      guard let stream = stream as? TLSConnection else { return }
      while !isDone() {
        _ = SSL_key_update(stream.raw, SSL_KEY_UPDATE_REQUESTED)
        _ = SSL_do_handshake(stream.raw)
        stream.flushFilter()
        try await wait()
      }
    case .readsNothing:
      wire.isDeaf = true
      try await stream.write("GET /big HTTP/1.1\r\nHost: a\r\n\r\n").value
    case .neverEndsItsBody:
      try await stream.write("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n").value
      while !isDone() {
        try await stream.write("1\r\na\r\n").value
        try await wait()
      }
    case .asksForEver:
      stream.start { _ in }
      while !isDone() {
        try await stream.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n").value
        try await wait()
      }
    }
  }

  // MARK: The ways

  static func listen(
    _ loop: EventLoop, _ way: Way
  ) throws -> (HTTPServer, nonisolated(nonsending) () async throws -> Wire) {
    makeCertificates()
    let directory = Certificates.shared.directory
    let context = try TLSContext.server(
      TLSIdentity(certificateChain: "\(directory)/server.pem", privateKey: "\(directory)/server.key"))
    let trust = try TLSContext.client(trust: .certificates("\(directory)/root.pem"))
    let server: HTTPServer
    switch way {
    case .tcp: server = try loop.http.listen(host: "127.0.0.1", port: 0, limits: limits)
    case .tls:
      server = loop.http.serve(try loop.tls.listen(host: "127.0.0.1", port: 0, context), limits: limits)
    case .proxied:
      let plain = try loop.tcp.listen(host: "127.0.0.1", port: 0).proxyProtocol(from: ["127.0.0.1"])
      server = loop.http.serve(try loop.tls.listen(over: plain, context), limits: limits)
    }
    let port = Int(try server.localAddress().port)
    return (
      server,
      {
        let wire = try Wire(try await loop.tcp.connect(host: "127.0.0.1", port: port).value)
        if way == .proxied { wire.send("PROXY UNKNOWN\r\n") }
        try await wire.open(way == .tcp ? nil : trust)
        return wire
      }
    )
  }
}

/// A client's way to a server, on which a test may stand.
final class Wire {
  /// The client's end.
  private(set) var stream: ByteStream
  private let server: TCPConnection
  private let middle: PipeConnection
  /// Whether what the client sends passes a byte at a time.
  var isSlow = false
  /// Whether the client's system takes nothing any more.
  var isDeaf = false { didSet { if isDeaf { server.stop() } } }
  private var rest: [UInt8] = []

  init(_ server: TCPConnection) throws(UVError) {
    self.server = server
    let (near, far) = try server.loop.pipes.socketPair()
    (stream, middle) = (near, far)
  }

  func send(_ bytes: Bytes) { server.write(bytes) { _ in } }

  nonisolated(nonsending) func open(_ trust: TLSContext?) async throws(UVError) {
    middle.start { [self] result in
      guard case .success(let bytes?) = result else { return }
      if !isSlow { return send(bytes) }
      rest += Array(bytes)
      passOne()
    }
    server.start { [self] result in
      if case .success(let bytes?) = result { middle.write(bytes) { _ in } } else { middle.close() }
    }
    if let trust { stream = try await stream.loop.tls.secure(stream, trust, host: "localhost").value }
  }

  private func passOne() {
    if rest.isEmpty || server.isClosing { return }
    send([rest.removeFirst()])
    server.loop.sleep(for: .milliseconds(5)) { [self] _ in passOne() }
  }

  func close() { for stream in [stream, server, middle] as [ByteStream] { stream.close() } }
}

extension Range<Int> {
  /// The results of a function that waits, one after the other.
  nonisolated(nonsending) func asyncMap<T>(
    _ body: nonisolated(nonsending) (Int) async throws -> T
  ) async rethrows -> [T] {
    var results: [T] = []
    for number in self { results.append(try await body(number)) }
    return results
  }
}
#endif
