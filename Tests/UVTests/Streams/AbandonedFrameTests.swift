import Testing
import UV
import UVTestSupport

/// A frame of each kind that was given up when a part of it had come, and then one of each kind. The second gets what the bytes
/// have for it, as if nobody had asked before.
@Suite struct AbandonedFrameTests {
  enum Wish: String, CaseIterable {
    case next, exactly, peek, until, delimiterOfTwo, line, strictLine, rest, into, proxyHeader, skip

    /// Whether three bytes are too few for it.
    var waits: Bool { self != .next && self != .into }

    func ask(_ stream: ByteStream, _ done: @escaping (String) -> Void) -> PendingRequest {
      let report: Completion<Bytes?> = { done($0.error?.name ?? $0.value!.map { "\($0)" } ?? "end") }
      switch self {
      case .next: return stream.next(report)
      case .exactly: return stream.read(exactly: 6, report)
      case .peek: return stream.peek(exactly: 7, report)
      case .until: return stream.read(until: ";", limit: 6, report)
      case .delimiterOfTwo: return stream.read(until: "b;", limit: 6, report)
      case .line: return stream.readLine(limit: 8, report)
      case .strictLine: return stream.readLine(limit: 8, onlyCRLF: true, report)
      case .rest: return stream.readToEnd(limit: 12) { report($0.map { $0 }) }
      case .into:
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4, alignment: 1)
        return stream.read(into: memory) { result in
          done(result.error?.name ?? String(decoding: memory.prefix(result.value!), as: UTF8.self))
          memory.deallocate()
        }
      case .proxyHeader:
        return stream.readProxyHeader { done($0.error?.name ?? "header") }
      case .skip:
        return stream.skip(until: ";", limit: 6) { done($0.error?.name ?? "\($0.value! ?? -1) dropped") }
      }
    }

    /// What it gets of `ab;cde` and, later, CR LF and the end.
    var answer: String {
      switch self {
      case .next: "ab;"
      case .exactly: "ab;cde"
      case .peek: "ab;cde\r"
      case .until: "ab"
      case .delimiterOfTwo: "a"
      case .line, .strictLine: "ab;cde"
      case .rest: "ab;cde\r\n"
      case .into: "ab;"
      case .proxyHeader: "EPROTO"
      case .skip: "2 dropped"
      }
    }
  }

  /// How a reader is given up.
  enum End: CaseIterable {
    case cancelled, readTimeout, idleTimeout, totalTimeout

    func apply(to pending: PendingRequest, on stream: ByteStream) {
      switch self {
      case .cancelled: pending.cancel()
      case .readTimeout: stream.readTimeout = .zero
      case .idleTimeout: stream.idleTimeout = .zero
      case .totalTimeout: stream.totalTimeout = .zero
      }
    }
  }

  /// Gives up a reader that has got a part of its frame.
  private nonisolated(nonsending) func giveUp(
    _ near: ByteStream, _ far: ByteStream, _ part: Bytes, _ end: End,
    _ ask: (_ done: @escaping (String) -> Void) -> PendingRequest
  ) async throws {
    var outcome: String?
    let pending = ask { outcome = $0 }
    if !part.isEmpty { try await far.write(part).value }
    for _ in 0..<3 { try await near.loop.sleep(for: .zero).value }
    #expect(outcome == nil)
    end.apply(to: pending, on: near)
    try await near.loop.until { outcome != nil }
    #expect(outcome == (end == .cancelled ? "ECANCELED" : "ETIMEDOUT"))
    near.readTimeout = nil
    near.idleTimeout = nil
    near.totalTimeout = nil
  }

  @Test(
    "What one reader has searched doesn't count for the next, however it was given up",
    arguments: End.allCases)
  func pairs(end: End) async throws {
    try await withLoop { loop in
      for first in Wish.allCases where first.waits && first != .skip && first != .until {
        for second in Wish.allCases {
          let (near, far) = try loop.pipes.socketPair()
          // A PROXY header is refused by its first byte, and this delimiter is found at once.
          let isAfter = first == .proxyHeader || first == .delimiterOfTwo
          try await giveUp(near, far, isAfter ? "" : "ab;", end) { first.ask(near, $0) }
          if isAfter { try await far.write("ab;").value }
          var outcome: String?
          _ = second.ask(near) { outcome = $0 }
          for _ in 0..<3 { try await loop.sleep(for: .zero).value }
          if [.next, .until, .delimiterOfTwo, .into, .skip, .proxyHeader].contains(second) {
            #expect(outcome == second.answer, "\(first), then \(second)")
          }
          try await far.write("cde\r\n").value
          far.close()
          try await loop.until { outcome != nil }
          #expect(outcome == second.answer, "\(first), then \(second)")
          near.close()
        }
      }
    }
  }

  @Test(
    "A part of a delimiter that has come is found by the next reader, and by another kind",
    arguments: End.allCases)
  func delimiters(end: End) async throws {
    try await withLoop { loop in
      for part in ["ab\r", "ab\r\n", "ab\r\n\r"] as [Bytes] {
        for second in 0..<4 {
          let (near, far) = try loop.pipes.socketPair()
          try await giveUp(near, far, part, end) { done in
            near.read(until: "\r\n\r\n", limit: 10) { done($0.error?.name ?? "found") }
          }
          let reading = loop.spawn { () async throws(UVError) in
            switch second {
            case 0: return try await near.read(until: "\r\n\r\n", limit: 2).value
            case 1: return try await near.readLine(limit: 2).value
            case 2: return try await near.readLine(limit: 2, onlyCRLF: true).value
            default: return try await near.read(exactly: 2).value
            }
          }
          for _ in 0..<2 { try await loop.sleep(for: .zero).value }
          try await far.write(Bytes(("ab\r\n\r\n!" as Bytes).dropFirst(part.count))).value
          #expect(try await reading.value == "ab", "\(part), \(second)")
          far.close()
          let left = ["!", "\r\n!", "\r\n!", "\r\n\r\n!"][second] as Bytes
          #expect(try await near.readToEnd(limit: 10).value == left, "\(part), \(second)")
          near.close()
        }
      }
    }
  }

  @Test("The bytes that a skip has dropped don't count for the next one", arguments: End.allCases)
  func skips(end: End) async throws {
    try await withLoop { loop in
      for second in [Wish.skip, .until, .line, .exactly] {
        let (near, far) = try loop.pipes.socketPair()
        try await giveUp(near, far, Bytes(repeating: 0x78, count: 60), end) { done in
          near.skip(until: ";", limit: 100) { done($0.error?.name ?? "found") }
        }
        try await far.write("ab;cde\r\n").value
        if second == .skip {
          // As many as the limit has room for, were there none before.
          #expect(try await near.skip(until: ";", limit: 2).value == 2)
          #expect(try await near.readLine(limit: 3).value == "cde")
        } else {
          var answer: String?
          _ = second.ask(near) { answer = $0 }
          try await loop.until { answer != nil }
          #expect(answer == second.answer, "\(second)")
        }
        far.close()
        near.close()
      }
    }
  }
}
