#if Everything
import Testing
import UV
import UVTestSupport

#if os(Linux)
import Foundation

/// Small writes of one turn leave together, in order: counted by the system, for the loop's thread.
@Suite struct FlushTests {
  private static let writes = 20_000

  /// What this thread has asked the system to write so far.
  private func writeCalls() throws -> Int {
    let text = try String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("syscw:") })
    return try #require(Int(line.dropFirst(7)))
  }

  /// 64 bytes that hold their number.
  private func text(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: ".", count: 64 - digits.count) + digits
  }

  @Test(arguments: Style.allCases)
  func manySmallWritesOfOneTurnLeaveInOneFlush(style: Style) async throws {
    let ends = Log<UVError.Code?>()
    try await withPair { loop, client, server in
      let before = try writeCalls()
      let started = (0..<Self.writes).map { style.start(client.write(Bytes(text($0))), on: loop, ends) }
      var received: [UInt8] = []
      received.reserveCapacity(Self.writes * 64)
      while received.count < Self.writes * 64, let bytes = try await server.next().value {
        bytes.withUnsafeBytes { received += $0 }
      }
      let calls = try writeCalls() - before
      // The first leaves at once. The system takes 1,024 buffers in one call, and may say that there is no
      // room.
      #expect(calls <= 2 * 21)
      #expect(String(decoding: received, as: UTF8.self) == (0..<Self.writes).map(text).joined())
      withExtendedLifetime(started) {}
      try await client.drain().value
      try await loop.settle { ends.values.count == Self.writes }
    }
    #expect(ends.values.allSatisfy { $0 == nil })
  }
}
#endif
#endif
