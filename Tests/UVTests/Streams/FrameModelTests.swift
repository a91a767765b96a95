import Testing
import UV
import UVTestSupport

/// Readers of all kinds that come and go while bytes come, beside a model: what a reader gets depends on the bytes alone,
/// and not on who has asked before.
@Suite struct FrameModelTests {
  /// A request for a frame.
  enum Wish: CustomStringConvertible {
    case exactly(Int), peek(Int), until(String), line, strictLine

    /// What the bytes have for it, and how many of them it takes; nil if more have to come.
    func answer(_ bytes: [UInt8]) -> (String, Int)? {
      func text(_ count: Int) -> String { String(decoding: bytes.prefix(count), as: UTF8.self) }
      let (newline, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
      switch self {
      case .exactly(let count): return bytes.count >= count ? (text(count), count) : nil
      case .peek(let count): return bytes.count >= count ? (text(count), 0) : nil
      case .until(let delimiter):
        let starts = 0..<max(bytes.count - delimiter.utf8.count + 1, 0)
        guard let count = starts.first(where: { bytes[$0...].starts(with: delimiter.utf8) }) else {
          return nil
        }
        return (text(count), count + delimiter.utf8.count)
      case .line, .strictLine:
        guard let end = bytes.firstIndex(of: newline) else { return nil }
        let count = end > 0 && bytes[end - 1] == carriageReturn ? end - 1 : end
        // A bare end stays, and is an error.
        if case .strictLine = self, count == end || bytes[..<count].contains(carriageReturn) {
          return ("EPROTO", 0)
        }
        return (text(count), end + 1)
      }
    }

    func ask(_ stream: ByteStream, _ done: @escaping Completion<Bytes?>) -> PendingRequest {
      switch self {
      case .exactly(let count): stream.read(exactly: count, done)
      case .peek(let count): stream.peek(exactly: count, done)
      case .until(let delimiter): stream.read(until: Bytes(delimiter), limit: 10_000, done)
      case .line: stream.readLine(limit: 10_000, done)
      case .strictLine: stream.readLine(limit: 10_000, onlyCRLF: true, done)
      }
    }

    var description: String {
      switch self {
      case .exactly(let count): "exactly \(count)"
      case .peek(let count): "peek \(count)"
      case .until(let delimiter): "until \(delimiter.debugDescription)"
      case .line: "line"
      case .strictLine: "strict line"
      }
    }
  }

  /// How a reader goes that has to wait.
  enum Leaving: CaseIterable { case cancelled, timedOut, none }

  @Test(
    "After any readers that were cancelled, timed out or answered, the next gets what the bytes have for it",
    arguments: 1...12)
  func any(seed: UInt64) async throws {
    try await withStream { loop, near, far in
      let draws = Draws(seed)
      var (bytes, log): ([UInt8], [String]) = ([], [])
      for _ in 0..<60 {
        let wish = draws.wish
        log.append("\(wish)")
        var outcome: String?
        let pending = wish.ask(near) {
          outcome = $0.value.map { $0.map { "\($0)" } ?? "end" } ?? $0.error!.name
        }
        // Some come while it waits, in parts.
        for _ in 0..<draws.draw(3) where outcome == nil {
          let part = draws.text
          bytes += Array(part.utf8)
          log.append("+ \(part.debugDescription)")
          try await far.write(Bytes(part)).value
          if draws.draw(2) == 0 { for _ in 0..<3 { try await loop.sleep(for: .zero).value } }
        }
        if let (answer, count) = wish.answer(bytes) {
          try await loop.until { outcome != nil }
          #expect(outcome == answer, "\(log)")
          bytes.removeFirst(count)
          // It would be there for ever.
          if answer == "EPROTO" { bytes.removeFirst(try await skipLine(near)) }
          continue
        }
        for _ in 0..<3 { try await loop.sleep(for: .zero).value }
        #expect(outcome == nil, "\(log)")
        let leaving = draws.one(of: Leaving.allCases)
        log.append("\(leaving)")
        switch leaving {
        case .cancelled: pending.cancel()
        case .timedOut: near.readTimeout = .zero
        case .none:
          // Enough for every wish.
          let part = "abcabcabcabcabc;ab\r\n"
          bytes += Array(part.utf8)
          try await far.write(Bytes(part)).value
        }
        try await loop.until { outcome != nil }
        near.readTimeout = nil
        switch leaving {
        case .cancelled: #expect(outcome == "ECANCELED", "\(log)")
        case .timedOut: #expect(outcome == "ETIMEDOUT", "\(log)")
        case .none:
          guard let (answer, count) = wish.answer(bytes) else {
            Issue.record("\(log): no answer to \(wish)")
            return
          }
          #expect(outcome == answer, "\(log)")
          bytes.removeFirst(count)
          if answer == "EPROTO" { bytes.removeFirst(try await skipLine(near)) }
        }
      }
    }
  }

  /// Goes on after a line that was refused.
  private nonisolated(nonsending) func skipLine(_ stream: ByteStream) async throws -> Int {
    guard let line = try await stream.read(until: "\n", limit: 10_000).value else { return 0 }
    return line.count + 1
  }
}

/// The wishes and bytes of a seed.
extension Draws {
  fileprivate var wish: FrameModelTests.Wish {
    switch draw(5) {
    case 0: .exactly(1 + draw(12))
    case 1: .peek(1 + draw(12))
    case 2: .until(one(of: [";", "\r\n", "ab", "bc;"]))
    case 3: .line
    default: .strictLine
    }
  }

  /// The delimiters come whole, in parts, and beside each other.
  fileprivate var text: String {
    (0...draw(6)).map { _ in one(of: ["a", "b", "c", "a", "b", ";", "\r", "\n"]) }.joined()
  }
}
