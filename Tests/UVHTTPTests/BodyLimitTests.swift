#if Everything
import Testing
import UVTestSupport

@testable import UVHTTP

/// The limits of bodies, exactly met and exceeded by one, whatever parts the bytes come in.
@Suite struct BodyLimitTests {
  /// A reader whose parts are there as soon as somebody asks.
  private final class Parts: BodyReader {
    let loop: EventLoop
    private var parts: [Bytes]
    weak var body: HTTPBody?
    private var isWanted = false
    private var isSending = false

    init(_ loop: EventLoop, _ parts: [Bytes]) { (self.loop, self.parts) = (loop, parts) }

    func wantBody(_ isWanted: Bool) {
      self.isWanted = isWanted
      if isSending { return }
      isSending = true
      while self.isWanted, let body {
        if parts.isEmpty {
          body.finish()
          break
        }
        body.send(parts.removeFirst())
      }
      isSending = false
    }
  }

  /// All ways to write a number as a sum of others, in order.
  private static func sums(of count: Int) -> [[Int]] {
    if count == 0 { return [[]] }
    return (1...count).flatMap { first in sums(of: count - first).map { [first] + $0 } }
  }

  private static func body(_ loop: EventLoop, _ counts: [Int]) -> (HTTPBody, Parts, Bytes) {
    let whole = Bytes((0..<counts.reduce(0, +)).map { UInt8(97 + $0 % 26) })
    var (parts, start): ([Bytes], Int) = ([], 0)
    for count in counts {
      parts.append(Bytes(whole[start..<(start + count)]))
      start += count
    }
    let reader = Parts(loop, parts)
    let body = HTTPBody(reader)
    reader.body = body
    return (body, reader, whole)
  }

  @Test("A body that is read to its end has as many bytes as the limit says, and no more, in each style")
  func readToEnd() async throws {
    try await withLoop { loop in
      for total in 0...6 {
        for counts in Self.sums(of: total) {
          for limit in 0...7 {
            for isCallback in [true, false] {
              let (body, reader, whole) = Self.body(loop, counts)
              // A peer may say how much it will be, rightly or not.
              body.expectedCount = isCallback ? total : limit
              var result: Result<Bytes, UVError>?
              if isCallback {
                body.readToEnd(limit: limit) { result = $0 }
                while result == nil { try await loop.sleep(for: .zero).value }
              } else {
                do throws(UVError) {
                  result = .success(try await body.readToEnd(limit: limit).value)
                } catch { result = .failure(error) }
              }
              let name = "\(counts) with a limit of \(limit)"
              if total <= limit {
                #expect(result?.value == whole, "\(name)")
                #expect(body.refusal == nil)
              } else {
                #expect(result?.error?.code == .messageTooLong, "\(name)")
                #expect(body.refusal?.status == .contentTooLarge)
              }
              withExtendedLifetime(reader) {}
            }
          }
        }
      }
    }
  }

  @Test(
    "A server's program gets a body up to its limit, and its client 413 beyond that",
    arguments: [false, true])
  func server(isChunked: Bool) async throws {
    try await withServer { exchange in
      let text: Bytes? = try? await exchange.body.readToEnd(limit: 6).value
      if let text { try await exchange.respond(HTTPResponse(status: .ok), text).value }
    } client: { client in
      for counts in [
        [6], [3, 3], [1, 5], [5, 1], [1, 1, 4], [7], [3, 4], [6, 1], [1, 6], [4, 4], [2, 2, 2, 1],
      ] {
        let total = counts.reduce(0, +)
        let framing = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(total)"
        try await client.stream.write(Bytes("POST / HTTP/1.1\r\nHost: a\r\n\(framing)\r\n\r\n")).value
        for count in counts {
          try await client.stream.loop.sleep(for: .milliseconds(2)).value
          let text = String(repeating: "x", count: count)
          try await client.stream.write(Bytes(isChunked ? "\(count)\r\n\(text)\r\n" : text)).value
        }
        if isChunked { try await client.stream.write("0\r\n\r\n").value }
        let head = try await client.stream.read(until: "\r\n\r\n", limit: 1000).value
        #expect(head?.starts(with: Bytes("HTTP/1.1 \(total > 6 ? 413 : 200) ")) == true, "\(counts)")
        let length = "\(head ?? "")".split(separator: "\r\n").first { $0.hasPrefix("content-length: ") }?
          .dropFirst(16)
        _ = try await client.stream.read(exactly: Int(length ?? "") ?? 0).value
      }
    }
  }

  private static let bodies = [
    "3;abcde\r\nabc\r\n0\r\n\r\n", "3;abc\r\nabc\r\n2;d=e\r\nde\r\n0;f\r\n\r\n",
    "1;a=\"b;c\"\r\na\r\n0\r\n\r\n",
    "3\r\nabc\r\n0\r\nA: b\r\nC: d\r\n\r\n", "3\r\nabc\r\n0\r\nA: 0123456789\r\n\r\n",
    "5\r\nabcde\r\n5\r\nabcde\r\n0\r\n\r\n",
  ]

  @Test("Each limit of a body is the same number of bytes, however they come", arguments: bodies)
  func sameHoweverTheyCome(text: String) {
    for limit in 0...40 {
      for which in 0..<4 {
        var limits = HTTPLimits()
        switch which {
        case 0: limits.chunkExtensions = limit
        case 1: limits.body = limit
        case 2: limits.fields = max(limit, 16)
        default: limits.fieldCount = max(limit, 1)
        }
        let whole = bodyVerdict(text, .chunked, limits)
        for size in 1...text.utf8.count {
          #expect(
            bodyVerdict(text, size: size, limits) == whole, "limit \(which) of \(limit), \(size) at a time")
        }
      }
    }
  }

  @Test("The extensions of all chunks may have as many bytes as the limit says, from the semicolon on")
  func extensions() {
    for (text, count) in [
      ("3;abcde\r\nabc\r\n0\r\n\r\n", 6), ("3;abc\r\nabc\r\n2;d=e\r\nde\r\n0;f\r\n\r\n", 10),
      ("1;a=\"b;c\"\r\na\r\n0\r\n\r\n", 8), ("1; a = b\r\na\r\n0\r\n\r\n", 7), ("1\r\na\r\n0\r\n\r\n", 0),
      ("1;" + String(repeating: "x", count: 199) + "\r\na\r\n0\r\n\r\n", 200),
    ] {
      for limit in [count - 1, count, count + 1] where limit >= 0 {
        var limits = HTTPLimits()
        limits.chunkExtensions = limit
        for size in [1, 2, 3, 7, .max] {
          let verdict = bodyVerdict(text, size: size, limits)
          if limit < count {
            #expect(verdict == .refused(400), "\(text), \(size) at a time, limit \(limit)")
          } else if case .accepted = verdict {
          } else {
            Issue.record("\(text), \(size) at a time, limit \(limit): \(verdict)")
          }
        }
      }
    }
  }
}
#endif
