import Testing
import UV
import UVTestSupport

/// What the heap has after calls that end: as much as before.
@Suite(.serialized) struct HeapTests {
  /// Calls that allocate, each of which is over when it returns.
  enum Call: CaseIterable {
    case environment, interfaces, processors, user, loop, handle

    fileprivate nonisolated(nonsending) func make(_ loop: EventLoop) async throws {
      switch self {
      case .environment: _ = try Environment.all()
      case .interfaces: _ = try SystemInfo.interfaceAddresses()
      case .processors: _ = try SystemInfo.processors()
      case .user: _ = try SystemInfo.user()
      case .loop: try EventLoop().shutdown()
      case .handle:
        // Nobody closes it.
        _ = try loop.udp.bind(host: "127.0.0.1", port: 0)
        try await loop.until { loop.statistics.handles == 0 }
      }
    }
  }

  @Test(arguments: Call.allCases)
  func `What a call has taken of the heap is given back`(call: Call) async throws {
    // Within a loop's test, since no other loop of this process runs meanwhile.
    try await withLoop { loop in
      var growths: [Int] = []
      growths.reserveCapacity(11)
      for _ in 0..<11 {
        let before = Hooks.heapInUse ?? 0
        for _ in 0..<30 { try await call.make(loop) }
        growths.append((Hooks.heapInUse ?? 0) - before)
      }
      // A leak grows each time, by 24 bytes at least. What something else in the process takes or gives back doesn't.
      let usual = growths.sorted()[5]
      #expect(usual < 30 * 24, "\(growths)")
    }
  }
}
