import Testing
import UVTLS
import UVTestSupport

/// How TLS within TLS ends for its reader, whatever comes together with the end: it has all bytes first, and then the end, or
/// the error if the inner connection hasn't said that it ends.
@Suite struct InnerEndTests {
  /// What ends the connection.
  enum End: CaseIterable, Sendable {
    /// The inner connection says that it ends, and then so does the outer one, or the transport ends.
    case both, inner
    /// The outer connection says that it ends, and its transport ends with it, or stays.
    case outer, outerAlone
    /// The transport ends.
    case transport

    var isTruncation: Bool { self != .both && self != .inner }
  }

  enum Reader: CaseIterable, Sendable { case parts, exactly, toEnd }

  /// A way for bytes, which can hold them back.
  private final class Way {
    private let far: PipeConnection
    private var held: [UInt8] = []
    private var isHolding = false
    /// Whether its transport has ended.
    private(set) var hasEnded = false

    init(_ near: PipeConnection, _ far: PipeConnection) {
      self.far = far
      near.start { [self] result in
        guard case .success(let bytes?) = result else { return hasEnded = true }
        if isHolding { held += bytes } else { far.write(bytes) { _ in } }
      }
      far.start { result in if case .success(let bytes?) = result { near.write(bytes) { _ in } } }
    }

    func hold() { isHolding = true }

    /// Lets what was held back go, so many bytes at a time.
    nonisolated(nonsending) func letGo(_ size: Int, thenEnd ends: Bool) async throws {
      for start in stride(from: 0, to: held.count, by: size) {
        far.write(Bytes(held[start..<min(start + size, held.count)])) { _ in }
        // The last bytes come together with the end.
        if start + size < held.count { try await far.loop.sleep(for: .zero).value }
      }
      if ends { far.close() }
    }
  }

  @Test(
    "The reader of TLS within TLS has all bytes and then the end, or the error of one that was cut off",
    arguments: End.allCases)
  func ends(end: End) async throws {
    let (server, client) = try (Certificates.shared.server(), Certificates.shared.client())
    try await withLoop { loop in
      var asksBefore = false
      for size in [0, 5, 20_000] {
        for reader in Reader.allCases {
          for step in [Int.max, size > 100 ? 5000 : 7] where step == .max || reader == .parts {
            asksBefore.toggle()
            try await Self.run(loop, server, client, end, reader, size, step, asksBefore)
          }
        }
      }
    }
  }

  private static nonisolated(nonsending) func run(
    _ loop: EventLoop, _ server: TLSContext, _ client: TLSContext, _ end: End, _ reader: Reader, _ size: Int,
    _ step: Int, _ asksBefore: Bool
  ) async throws {
    let (near, wayNear) = try loop.pipes.socketPair()
    let (far, wayFar) = try loop.pipes.socketPair()
    let way = Way(wayNear, wayFar)
    let (outer, farOuter) = try await handshake(loop, near, far, server, client).get()
    // The inner one speaks through the outer one as through any other stream.
    let (inside, relay) = try loop.pipes.socketPair()
    var (relayed, hasInnerEnded) = (0, false)
    relay.start { result in
      guard case .success(let bytes?) = result else { return hasInnerEnded = true }
      relayed += bytes.count
      outer.write(bytes) { _ in }
    }
    outer.start { result in if case .success(let bytes?) = result { relay.write(bytes) { _ in } } }
    let (inner, farInner) = try await handshake(loop, inside, farOuter, server, client).get()
    // With what follows a handshake.
    try await inner.write("x").value
    #expect(try await farInner.next().value == "x")
    way.hold()
    let message = Bytes((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 2) })
    let before = relayed
    if size > 0 {
      try await inner.write(message).value
      try await loop.until { relayed >= before + size }
    }
    if !end.isTruncation {
      try await inner.shutdown().value
      try await loop.until { hasInnerEnded }
    }
    try await loop.settle()
    if end == .inner || end == .transport { outer.cutOff() } else { try await outer.shutdown().value }
    try await loop.until { way.hasEnded }
    let reading = loop.spawn { () async -> ([UInt8], UVError.Code?) in await read(farInner, reader, size) }
    if asksBefore { try await loop.settle() }
    try await way.letGo(step, thenEnd: end != .outerAlone)
    if !asksBefore { try await loop.settle() }
    let name = "\(end), \(reader), \(size) bytes, \(step) at a time, asks before: \(asksBefore)"
    let found = try await loop.withDeadline(.seconds(10)) { await reading.value }
    // A reader to the end has all or nothing.
    let isAll = found.0 == (reader == .toEnd && end.isTruncation ? [] : Array(message))
    try #require(found.1 == (end.isTruncation ? .tlsTruncated : nil), "\(name)")
    #expect(isAll, "\(name)")
    for stream in [inner, farInner, outer, relay, wayNear, wayFar] as [ByteStream] { stream.close() }
  }

  /// Reads everything, and returns what came, and the error at the end.
  private static nonisolated(nonsending) func read(_ stream: ByteStream, _ reader: Reader, _ size: Int) async
    -> ([UInt8], UVError.Code?)
  {
    var bytes: [UInt8] = []
    do throws(UVError) {
      switch reader {
      case .parts: break
      case .exactly: if size > 0, let read = try await stream.read(exactly: size).value { bytes += read }
      case .toEnd: return (Array(try await stream.readToEnd(limit: 1 << 20).value), nil)
      }
      while let part = try await stream.next().value { bytes += part }
      return (bytes, nil)
    } catch { return (bytes, error.code) }
  }
}
