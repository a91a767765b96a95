import Testing
import UV
import UVTestSupport

/// A source whose elements are delivered when nearly all of the turn's budget has been spent: whichever element uses up the
/// rest, also the last one.
@Suite struct SpentTurnTests {
  enum Taker: CaseIterable, Sendable { case callbacks, handler, receivers, tasks, iterator }

  /// What has happened with the source.
  private final class Seen {
    var taken: [Int] = []
    var ends = 0
    var drains = 0
    var resumes = 0
    var pauses = 0

    func note(_ result: Result<Int?, UVError>) {
      switch result {
      case .success(let number?): taken.append(number)
      case .success(nil): ends += 1
      case .failure: break
      }
    }
  }

  private static func take(_ source: CustomSource<Int>, _ taker: Taker, _ count: Int, _ seen: Seen) {
    switch taker {
    case .callbacks: for _ in 0..<count { source.next { seen.note($0) } }
    case .handler: source.start { seen.note($0) }
    case .receivers:
      for _ in 0..<count { source._next(for: _ElementReceiver { _, result in seen.note(result) }) }
    case .tasks:
      for _ in 0..<count { source.loop.spawn { seen.note(.success(try? await source.next().value)) } }
    case .iterator:
      source.loop.spawn {
        var iterator = source.makeAsyncIterator()
        for _ in 0..<count { seen.note(.success(try? await iterator.next())) }
      }
    }
  }

  /// What comes behind the elements.
  enum Sequel: CaseIterable, Sendable { case drain, end, drainAndEnd, pause }

  @Test(arguments: Taker.allCases, Sequel.allCases)
  func `What comes behind the last element comes wherever the turn ends`(taker: Taker, sequel: Sequel)
    async throws
  {
    try await withLoop { loop in
      // The turn has some 2,048 units, of which a few are spent before.
      for paid in 2036...2050 {
        let count = 3
        let seen = Seen()
        let source = CustomSource<Int>(loop, "numbers") { _ in
          seen.resumes += 1
        } pause: { _ in
          seen.pauses += 1
        }
        // Those who ask wait already.
        Self.take(source, taker, count, seen)
        try await loop.settle()
        #expect(seen.resumes == 1)
        var drain = PendingRequest()
        // In a callback at the beginning of a turn.
        try await loop.sleep(for: .zero).map {
          for number in 0..<count { source.send(number) }
          if sequel == .drain || sequel == .drainAndEnd {
            drain = source.drain { if $0.error == nil { seen.drains += 1 } }
          }
          if sequel == .end || sequel == .drainAndEnd { source.finish() }
          for _ in 0..<paid { _ = loop.payForWork() }
        }.value
        try await loop.settle()
        #expect(seen.taken == Array(0..<count) && source.queuedCount == 0, "\(paid)")
        #expect(seen.drains == (sequel == .drain || sequel == .drainAndEnd ? 1 : 0), "\(paid)")
        if sequel == .end || sequel == .drainAndEnd {
          #expect(seen.ends == (taker == .handler ? 1 : 0) && seen.pauses == 0, "\(paid)")
          #expect(try await source.next().value == nil)
        } else {
          // A handler goes on to ask.
          #expect(seen.pauses == (taker == .handler ? 0 : 1), "\(paid)")
          source.stop()
          try await loop.settle()
          #expect(seen.pauses == 1 && seen.resumes == 1)
          source.finish()
        }
        drain.cancel()
        try await loop.settle()
      }
    }
  }
}
