import Testing
import UV
import UVTestSupport

/// Pending requests that are cancelled by a closure: it is called once, whoever cancels, how often, and from where.
@Suite struct CancelClosureTests {
  @Test func `A closure is called on the first cancel, and not again`() {
    var count = 0
    let pending = PendingRequest { count += 1 }
    #expect(count == 0)
    for _ in 0..<3 { pending.cancel() }
    // A copy is the same request.
    let copy = pending
    copy.cancel()
    #expect(count == 1)
    PendingRequest().cancel()
  }

  @Test("A closure that cancels its own request again isn't called again, however deep", arguments: 1...3)
  func reentrant(depth: Int) {
    var counts = [Int](repeating: 0, count: depth)
    var all: [PendingRequest] = []
    for index in 0..<depth {
      all.append(
        PendingRequest {
          counts[index] += 1
          // Without an end, if each were called again.
          if counts.reduce(0, +) < 20 { for other in all { other.cancel() } }
        })
    }
    all[0].cancel()
    #expect(counts == [Int](repeating: 1, count: depth))
  }

  @Test("A closure is released once it has been called, and when the request goes", arguments: [false, true])
  func released(isCancelled: Bool) {
    weak var object: Token?
    var pending = PendingRequest()
    do {
      let token = Token()
      object = token
      pending = PendingRequest { withExtendedLifetime(token) {} }
    }
    #expect(object != nil)
    if isCancelled { pending.cancel() } else { pending = PendingRequest() }
    #expect(object == nil)
    withExtendedLifetime(pending) {}
  }

  /// Requests that are made of others: in each the cancel reaches the one that is under way, once.
  @Test(
    "A cancel reaches the request that is under way, and its completion comes once", arguments: [false, true])
  func composed(twice: Bool) async throws {
    try await withLoop { loop in
      var (cancels, outcomes) = (0, [String]())
      let request = Request<Int>(loop) { done in
        let sleep = loop.sleep(for: .untilCancelled) { done($0.map { 1 }) }
        return PendingRequest {
          cancels += 1
          sleep.cancel()
        }
      }
      let variants: [Request<Int>] = [
        request, request.map { $0 + 1 }, request.timeout(after: .seconds(1000)),
      ]
      for variant in variants {
        (cancels, outcomes) = (0, [])
        let pending = variant.start { outcomes.append($0.error?.name ?? "ok") }
        pending.cancel()
        if twice { pending.cancel() }
        try await loop.until { !outcomes.isEmpty }
        pending.cancel()
        try await loop.settle()
        #expect(cancels == 1 && outcomes == ["ECANCELED"])
        let task = loop.spawn { () async throws(UVError) in try await variant.value }
        try await loop.settle()
        task.cancel()
        await expectError(.cancelled, of: try await task.value)
        #expect(cancels == 2)
      }
    }
  }
}
