#if Everything
import Testing
import UV
import UVTestSupport

/// A cancelled promise chain, task and pending request end with `cancelled`; a cancelled subscription gets
/// nothing more. What was begun is undone in each.
@Suite struct CancellationTests {
  @Test(arguments: Style.allCases) func aSleep(style: Style) async throws {
    try await withLoop { loop in
      let log = Log<UVError.Code?>()
      let cancel = style.start(loop.sleep(for: .untilCancelled), on: loop, log)
      try await loop.settle()
      cancel()
      cancel()
      try await loop.settle()
      switch style {
      case .callback, .promise, .async: #expect(log.values == [.cancelled])
      case .publisher, .future: #expect(log.values.isEmpty)
      }
      // A subscriber that goes does not end an eager future's work; nobody else holds the loop.
      if style == .future { loop.stop() }
    }
  }

  @Test(arguments: Style.allCases) func manyOpensLoseNoDescriptor(style: Style) async throws {
    try await withLoop { loop in
      let log = Log<UVError.Code?>()
      for round in 0..<100 {
        let cancel = style.start(loop.files.open("/etc/passwd"), on: loop, log)
        for _ in 0..<(round % 5) { try await loop.sleep(for: .zero).value }
        cancel()
      }
      try await loop.settle()
      if style == .callback || style == .async { #expect(log.values.count == 100) }
    }
  }

  @Test(arguments: Style.allCases) func aReadLeavesTheConnectionUsable(style: Style) async throws {
    try await withPair { loop, client, server in
      let log = Log<UVError.Code?>()
      let cancel = style.start(client.next(), on: loop, log)
      try await loop.settle()
      cancel()
      try await loop.settle()
      // An eager future reads on: what it was asked for is its.
      if style == .future { return }
      try await server.write("still here").value
      #expect(try await client.next().value == "still here")
    }
  }
}
#endif
