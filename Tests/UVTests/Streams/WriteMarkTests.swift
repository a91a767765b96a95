import Testing
import UV
import UVTestSupport

/// How much a stream holds for its peer: counted to the byte, whatever the writes are made of and however they end.
@Suite struct WriteMarkTests {
  /// Fills the socket, so that later writes are held whole.
  private nonisolated(nonsending) func fill(_ stream: ByteStream) async throws -> Int {
    var count = 0
    while true {
      let taken = try stream.tryWrite(Bytes(repeating: 0, count: 100_000))
      count += taken
      if taken == 0 { return count }
    }
  }

  @Test(
    "A stream is above its mark with one byte more than that, and not before",
    arguments: [0, 1, 1000, 65_536])
  func mark(mark: Int) async throws {
    try await withStream { loop, near, far in
      far.highWaterMark = mark
      #expect(far.highWaterMark == mark && !far.isAboveHighWaterMark)
      let filled = try await fill(far)
      #expect(!far.isAboveHighWaterMark && far.writeQueueSize == 0)
      var held = 0
      func write(_ counts: [Int]) -> PendingRequest {
        held += counts.reduce(0, +)
        return far.write(counts.map { Bytes(repeating: 1, count: $0) }) { _ in }
      }
      if mark > 1 { _ = write([mark - mark / 2, 0]) }
      _ = write(mark > 1 ? [0, mark / 2] : [mark])
      #expect(held == mark && far.writeQueueSize == mark && !far.isAboveHighWaterMark)
      let last = write([1])
      #expect(far.writeQueueSize == mark + 1 && far.isAboveHighWaterMark)
      last.cancel()
      #expect(far.writeQueueSize == mark && !far.isAboveHighWaterMark)
      // Writes without bytes count nothing.
      far.write(Bytes()) { _ in }
      #expect(far.writeQueueSize == mark && !far.isAboveHighWaterMark)
      // Another mark counts at once.
      far.highWaterMark = mark + 1
      #expect(!far.isAboveHighWaterMark)
      if mark > 0 {
        far.highWaterMark = mark - 1
        #expect(far.isAboveHighWaterMark)
      }
      far.shutdown { _ in }
      var received = 0
      while let part = try await near.next().value { received += part.count }
      #expect(received == filled + mark)
      #expect(far.writeQueueSize == 0 && !far.isAboveHighWaterMark)
    }
  }

  @Test("A try takes nothing while anything waits, and all that there is room for after that") func tries()
    async throws
  {
    try await withStream { loop, near, far in
      let filled = try await fill(far)
      #expect(try far.tryWrite("x") == 0 && far.writeQueueSize == 0)
      far.write("waits") { _ in }
      let half = try #require(try await near.read(exactly: filled / 2).value)
      #expect(half.count == filled / 2)
      // What waits goes first, though there may be room.
      if far.writeQueueSize > 0 { #expect(try far.tryWrite("x") == 0) }
      #expect(try await near.read(exactly: filled - filled / 2).value?.count == filled - filled / 2)
      #expect(try await near.read(exactly: 5).value == "waits")
      try await far.drain().value
      #expect(try far.tryWrite(["a", "", "bc"]) == 3)
      #expect(try await near.next().value == "abc")
      try await far.shutdown().value
      #expect(throws: UVError(.brokenPipe, operation: "try_write")) { try far.tryWrite("x") }
    }
  }
}
