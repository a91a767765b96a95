import Testing
import UV
import UVPromises
import UVTestSupport

/// `when(…, concurrently:)` draws as many promises as there is room for, and no more, and knows each by its place.
@Suite struct ConcurrentlyTests {
  /// Promises that are drawn one after the other, and that the test resolves.
  private final class Supply {
    let count: Int
    private(set) var seals: [Resolver<Int>] = []
    private(set) var promises: [Promise<Int>] = []
    /// The numbers of those that are resolved already when they are drawn.
    var settled: Set<Int> = []
    private(set) var askedAfterTheEnd = 0

    init(_ count: Int) { self.count = count }

    var iterator: AnyIterator<Promise<Int>> {
      AnyIterator { [self] in
        if seals.count == count {
          askedAfterTheEnd += 1
          return nil
        }
        let (promise, seal) = Promise<Int>.pending()
        if settled.contains(seals.count) { seal.fulfill(seals.count) }
        seals.append(seal)
        promises.append(promise)
        return promise
      }
    }
  }

  @Test("There are as many under way as the limit says, as long as there are more", arguments: 1...5)
  func room(limit: Int) async throws {
    try await withLoop { loop in
      Reports().install()
      for seed in 0..<30 {
        let draws = Draws(UInt64(seed))
        let supply = Supply(draws.draw(12))
        for number in 0..<supply.count where draws.draw(4) == 0 { supply.settled.insert(number) }
        let isResolvedForm = draws.draw(2) == 0
        let values: Promise<[Int?]> =
          isResolvedForm
          ? Promise(when(resolved: supply.iterator, concurrently: limit)).map(on: nil) { $0.map(\.value) }
          : when(fulfilled: supply.iterator, concurrently: limit).map(on: nil) { $0.map { $0 } }
        var (open, failed): ([Int], Set<Int>) = ([], [])
        var drawn = 0
        func look(_ place: String) {
          // What the drawing has to come to.
          while open.count < limit, drawn < supply.count {
            if !supply.settled.contains(drawn) { open.append(drawn) }
            drawn += 1
          }
          #expect(supply.seals.count == drawn, "seed \(seed), \(place)")
        }
        look("first")
        while !open.isEmpty {
          #expect(values.isPending)
          let number = open.remove(at: draws.draw(open.count))
          if isResolvedForm, draws.draw(3) == 0 {
            failed.insert(number)
            supply.seals[number].reject(Boom(number: number))
          } else {
            supply.seals[number].fulfill(number)
          }
          try await loop.sleep(for: .zero).value
          look("after \(number)")
        }
        let all = try await values.async()
        #expect(all == (0..<supply.count).map { failed.contains($0) ? nil : $0 }, "seed \(seed)")
        #expect(supply.askedAfterTheEnd <= 1)
      }
    }
  }

  @Test("An error ends the drawing, and leaves those that are under way alone", arguments: 1...3)
  func failed(limit: Int) async throws {
    try await withLoop { loop in
      Reports().install()
      for failing in 0..<limit {
        let supply = Supply(10)
        let values = when(fulfilled: supply.iterator, concurrently: limit)
        values.cauterizeSilently()
        supply.seals[failing].reject(Boom(number: failing))
        try await loop.until { values.isResolved }
        #expect((values.error as? Boom)?.number == failing)
        #expect(supply.seals.count == limit)
        for (number, seal) in supply.seals.enumerated() where number != failing {
          #expect(seal.fulfill(number), "it isn't cancelled")
        }
        try await loop.sleep(for: .zero).value
        #expect(supply.seals.count == limit)
      }
    }
  }

  @Test(
    "Cancelling ends the drawing, and cancels those under way that nobody else waits for", arguments: 1...3)
  func cancelled(limit: Int) async throws {
    try await withLoop { loop in
      Reports().install()
      for isResolvedForm in [true, false] {
        for awaited in 0..<limit {
          let supply = Supply(10)
          let values: Promise<Int> =
            isResolvedForm
            ? Promise(when(resolved: supply.iterator, concurrently: limit)).map(\.count)
            : when(fulfilled: supply.iterator, concurrently: limit).map(\.count)
          values.cauterizeSilently()
          let other = supply.promises[awaited].map { $0 }
          values.cancel()
          try await loop.until { values.isResolved }
          #expect(values.error?.isCancelled == true)
          #expect(supply.seals.count == limit)
          for (number, seal) in supply.seals.enumerated() { #expect(seal.fulfill(7) == (number == awaited)) }
          let last = try await other.async()
          #expect(last == 7)
        }
      }
    }
  }

  @Test(
    "retry tries as often as it says, asks with what is left, and pauses as its delay says", arguments: 1...4)
  func retries(attempts: Int) async throws {
    try await withLoop { loop in
      Reports().install()
      for failures in 0...(attempts + 1) {
        var (calls, left, pauses): (Int, [Int], [Int]) = (0, [], [])
        let promise = retry(
          attempts: attempts, delay: .none,
          condition: { count, error in
            left.append(count)
            pauses.append((error as? Boom)?.number ?? -1)
            return true
          }
        ) { () throws -> Promise<Int> in
          calls += 1
          if calls <= failures {
            if calls % 2 == 0 { throw Boom(number: calls) }
            return Promise(error: Boom(number: calls))
          }
          return .value(calls)
        }
        promise.cauterizeSilently()
        try await loop.until { promise.isResolved }
        if failures < attempts {
          #expect(promise.value == failures + 1 && calls == failures + 1)
        } else {
          #expect((promise.error as? Boom)?.number == attempts && calls == attempts)
        }
        let asked = min(failures, attempts - 1)
        #expect(left == (0..<asked).map { attempts - 1 - $0 })
        #expect(pauses == Array(1..<(asked + 1)), "it is asked about the last error")
      }
      // What says no, and a cancellation, end it.
      for (error, expected) in [(Boom() as any Error, 2), (PMKError.cancelled, 1)] {
        var calls = 0
        let promise = retry(attempts: 9, delay: .none, condition: { left, _ in left > 7 }) {
          () -> Promise<Int> in
          calls += 1
          return Promise(error: error)
        }
        promise.cauterizeSilently()
        try await loop.until { promise.isResolved }
        #expect(promise.isRejected && calls == expected)
      }
    }
  }
}
