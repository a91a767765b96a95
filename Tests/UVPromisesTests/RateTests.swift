import Dispatch
import Foundation
import Synchronization
import Testing
import UV
import UVPromises
import UVTestSupport

/// Dispatchers with a limit: how many handlers start and when, and what the handlers' own time has to do with it.
@Suite struct RateTests {
  enum Kind: CaseIterable, Sendable {
    case strict, loose, concurrent

    func make(_ limit: Int, _ period: Double = 0.03, on underlying: any Dispatcher = .global())
      -> any Dispatcher
    {
      switch self {
      case .strict: StrictRateLimitedDispatcher(maxDispatches: limit, perInterval: period, on: underlying)
      case .loose: RateLimitedDispatcher(maxDispatches: limit, perInterval: period, on: underlying)
      case .concurrent: ConcurrencyLimitedDispatcher(limit: limit, on: underlying)
      }
    }
  }

  @Test(
    "A rate counts starts: a handler that has not ended doesn't keep others from starting", arguments: 1...3)
  func longHandlers(limit: Int) async throws {
    for kind in [Kind.strict, .loose] {
      let dispatcher = kind.make(limit, on: Threads())
      let count = limit * 3
      let started = Mutex(0)
      let ends = DispatchSemaphore(value: 0)
      await withCheckedContinuation { (all: CheckedContinuation<Void, Never>) in
        for _ in 0..<count {
          dispatcher.dispatch {
            let number = started.withLock {
              $0 += 1
              return $0
            }
            // None ends before the last has started.
            if number == count { all.resume() } else { ends.wait() }
          }
        }
      }
      #expect(started.withLock { $0 } == count)
      for _ in 1..<count { ends.signal() }
    }
  }

  @Test(
    "Handlers start in their order, each once, however many there are for a limit", arguments: Kind.allCases)
  func order(kind: Kind) async throws {
    for limit in [1, 3] {
      let dispatcher = kind.make(limit, 0.001, on: DispatchQueue(label: "serial"))
      let seen = Log<Int>()
      await withCheckedContinuation { (all: CheckedContinuation<Void, Never>) in
        for number in 0..<8 {
          dispatcher.dispatch {
            seen.append(number)
            if seen.values.count == 8 { all.resume() }
          }
        }
      }
      #expect(seen.values == Array(0..<8))
    }
  }

  @Test("No period, however it is laid, has more starts than a strict rate allows", arguments: 1...4)
  func strictPeriods(limit: Int) async throws {
    let (held, period) = (Held(), Duration.milliseconds(10))
    let strict = Kind.strict.make(limit, 0.01, on: held)
    let count = limit * 4 + 1
    for _ in 0..<count { strict.dispatch {} }
    // Each is read before its period begins.
    var starts: [ContinuousClock.Instant] = []
    for number in 0..<count {
      while held.bodies.values.count <= number { try await Task.sleep(for: .milliseconds(1)) }
      if number >= limit { #expect(ContinuousClock.now - starts[number - limit] >= period, "\(number)") }
      starts.append(.now)
      held.bodies.values[number]()
      // Some begin late.
      if number % 3 == 0 { try await Task.sleep(for: .milliseconds(2)) }
    }
    #expect(held.bodies.values.count == count)
  }

  @Test("After a pause a strict rate has all its places again, and no more", arguments: 1...3)
  func strictAfterAPause(limit: Int) async throws {
    let held = Held()
    let strict = Kind.strict.make(limit, 0.01, on: held)
    for round in 1...3 {
      for _ in 0..<limit { strict.dispatch {} }
      #expect(held.bodies.values.count == round * limit)
      for body in held.bodies.values.suffix(limit) { body() }
      try await Task.sleep(for: .milliseconds(15))
    }
    for _ in 0...limit { strict.dispatch {} }
    #expect(held.bodies.values.count == 4 * limit)
  }

  @Test("A loose rate begins with a full supply, and what is taken comes back one by one")
  func looseSupply() async throws {
    let held = Held()
    let loose = Kind.loose.make(4, 100, on: held)
    for _ in 0..<6 { loose.dispatch {} }
    #expect(held.bodies.values.count == 4)
    let quick = Held()
    let steady = Kind.loose.make(2, 0.02, on: quick)
    let begin = ContinuousClock.now
    for _ in 0..<6 { steady.dispatch {} }
    #expect(quick.bodies.values.count == 2)
    while quick.bodies.values.count < 6 { try await Task.sleep(for: .milliseconds(1)) }
    // Four tokens more, each after half a period.
    #expect(ContinuousClock.now - begin >= .milliseconds(39))
  }

  @Test("A place of a limit is free once its handler has ended, and not before", arguments: 1...4)
  func concurrencyPlaces(limit: Int) async throws {
    let held = Held()
    let dispatcher = Kind.concurrent.make(limit, on: held)
    let within = Log<Int>()
    for number in 0..<(limit * 2 + 1) {
      dispatcher.dispatch { within.append(held.bodies.values.count * 100 + number) }
    }
    #expect(held.bodies.values.count == limit)
    for next in 0..<(limit * 2 + 1) {
      let before = held.bodies.values.count
      held.bodies.values[next]()
      // While the handler ran, nothing had been handed on in its place.
      #expect(within.values.last == before * 100 + next)
      #expect(held.bodies.values.count == min(limit + next + 1, limit * 2 + 1))
    }
    // All places are free again.
    let handed = held.bodies.values.count
    for _ in 0...limit { dispatcher.dispatch {} }
    #expect(held.bodies.values.count == handed + limit)
  }

  /// Has a thread for each: a queue makes threads slowly for handlers that wait.
  private struct Threads: Dispatcher {
    func dispatch(_ body: @escaping @Sendable () -> Void) { Thread(block: body).start() }
  }

  /// Keeps what it is given.
  private final class Held: Dispatcher {
    let bodies = Log<@Sendable () -> Void>()
    func dispatch(_ body: @escaping @Sendable () -> Void) { bodies.append(body) }
  }
}
