#if Everything
import Foundation
import Testing
import UVTestSupport

@testable import UVHTTP

/// Parts of an answer that are written in one turn, and that nobody waits for.
@Suite struct UnawaitedPartTests {
  /// What a client does with the parts.
  enum End: CaseIterable {
    case reads, closes, resets, isSilent
  }

  private static let sizes: [Int] = {
    let some = [
      1, 70_000, 100, 16_384, 16_385, 0, 65_536, 300_000, 5, 1 << 20, 40_000, 40_000, 16_384, 16_384,
    ]
    return (0..<8).flatMap { _ in some }
  }()

  private static let pattern = Bytes((0..<(1 << 20) + 256).map { UInt8(truncatingIfNeeded: $0) })

  /// A part of its own for each number.
  private static func part(_ number: Int) -> Bytes { Bytes(pattern[number..<number + sizes[number]]) }

  @Test(
    "They come whole and in order, and each reports once how it has ended, whatever the client does",
    arguments: [false, true], End.allCases)
  func together(secure: Bool, end: End) async throws {
    var limits = HTTPLimits()
    if end == .isSilent { limits.idleTimeout = .milliseconds(100) }
    for isChunked in [false, true] {
      let (ended, codes) = (Log<Int>(), Log<UVError.Code?>())
      try await serveEach(limits, secure: secure) { exchange in
        let length = Self.sizes.reduce(0, +)
        guard let writer = try? exchange.begin(HTTPResponse(status: .ok), length: isChunked ? nil : length)
        else {
          return
        }
        func note(_ number: Int) -> Completion<Void> {
          { result in
            ended.append(number)
            codes.append(result.error?.code)
          }
        }
        for number in Self.sizes.indices { writer.write(Self.part(number), note(number)) }
        writer.finish([:], note(Self.sizes.count))
        #expect(ended.values == [])
      } client: { loop, connect in
        let stream = try await connect()
        try await stream.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n").value
        _ = try await stream.read(until: "\r\n\r\n", limit: 1000).value
        for number in Self.sizes.indices.prefix(end == .reads ? .max : 8) {
          let part = Self.part(number)
          if isChunked, !part.isEmpty {
            #expect(try await stream.readLine(limit: 10).value == Bytes(String(part.count, radix: 16)))
          }
          #expect(try await stream.read(exactly: part.count).value == part, "part \(number)")
          if isChunked, !part.isEmpty { #expect(try await stream.readLine(limit: 0).value == "") }
          try await loop.sleep(for: .zero).value
        }
        switch end {
        case .reads:
          if isChunked { #expect(try await stream.read(exactly: 5).value == "0\r\n\r\n") }
        case .closes: stream.close()
        case .resets: if let stream = stream as? TCPConnection { stream.closeReset() } else { stream.close() }
        case .isSilent: break
        }
        try await loop.until { ended.values.count > Self.sizes.count }
        #expect(ended.values == Array(0...Self.sizes.count))
        let lost = codes.values.drop { $0 == nil }
        #expect(lost.allSatisfy { $0 == .brokenPipe } && lost.isEmpty == (end == .reads))
        stream.close()
      }
    }
  }
}
#endif
