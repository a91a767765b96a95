import Testing
import UV
import UVTestSupport

/// The budget of a turn: what each piece of work costs, and what is left.
@Suite struct BudgetTests {
  /// What another module pays for, and its cost as `TurnBudget` says.
  private static let payments: [(name: String, cost: Int, pay: @Sendable (EventLoop) -> Bool)] = [
    ("a piece of work", 1, { $0.payForWork() }),
    ("a call", 16, { $0.payForCall(0) }),
    ("a call with 1 KiB", 17, { $0.payForCall(1024) }),
    ("a call with 100 KiB", 116, { $0.payForCall(100 << 10) }),
    ("a datagram", 16, { $0.payForDatagrams(1) }),
    ("seven datagrams", 112, { $0.payForDatagrams(7) }),
  ]

  /// Uses the turn's budget up exactly: the next unit is the first of the next turn's.
  private static func useUp(_ loop: EventLoop) { while !loop.payForWork() {} }

  /// Runs `body` in a callback of a turn of its own, so that the budget is nearly whole.
  private nonisolated(nonsending) static func inTurn(_ loop: EventLoop, _ body: @escaping () -> Void)
    async throws
  {
    try await loop.sleep(for: .zero).value
    try await loop.sleep(for: .zero).map { body() }.value
  }

  @Test func `Each piece of work is paid for, and the one that uses the turn up says so`() async throws {
    try await withLoop { loop in
      for (name, cost, pay) in Self.payments {
        var least = Int.max
        try await Self.inTurn(loop) {
          var count = 1
          while !pay(loop) { count += 1 }
          least = count
        }
        // A few units are spent before the first.
        #expect((2048 - 64) / cost...(2048 + cost - 1) / cost ~= least, "\(name): \(least)")
      }
    }
  }

  @Test func `A turn is overdrawn when it has spent its budget twice`() async throws {
    try await withLoop { loop in
      try await Self.inTurn(loop) {
        Self.useUp(loop)
        for number in 1...2048 {
          #expect(!loop.hasOverdrawnTurn, "\(number)")
          _ = loop.payForWork()
        }
        #expect(loop.hasOverdrawnTurn)
      }
      // The next turn has a budget of its own.
      try await Self.inTurn(loop) { #expect(!loop.hasOverdrawnTurn) }
    }
  }
}
