import Testing
import UV
import UVPromises
import UVTestSupport

/// What becomes of the promises that a gathering doesn't need any more: whichever of them decides it, and whenever.
@Suite struct DecidedGatheringTests {
  enum Form: CaseIterable, Sendable {
    case array, voidArray, variadicVoids, untyped, two, three, four, five
    case race, variadicRace, guaranteeRace, raceOfValues, any

    /// How many promises it takes; nil for any number.
    var count: Int? {
      switch self {
      case .two: 2
      case .three: 3
      case .four: 4
      case .five: 5
      default: nil
      }
    }

    var isDecidedByError: Bool {
      switch self {
      case .array, .voidArray, .variadicVoids, .untyped, .two, .three, .four, .five: true
      case .race, .variadicRace, .guaranteeRace, .raceOfValues, .any: false
      }
    }

    /// Gathers promises, which are three unless it says otherwise.
    func gather(_ p: [Promise<Int>], _ cancels: Bool) -> Promise<Void> {
      var voids: [Promise<Void>] { p.map { $0.asVoid() } }
      switch self {
      case .array: return when(fulfilled: p, cancellingRest: cancels).asVoid()
      case .voidArray: return when(fulfilled: voids, cancellingRest: cancels)
      case .variadicVoids:
        let all = voids
        return when(fulfilled: all[0], all[1], all[2], cancellingRest: cancels)
      case .untyped: return when(fulfilled: p as [any Thenable], cancellingRest: cancels).asVoid()
      case .two: return when(fulfilled: p[0], p[1], cancellingRest: cancels).map { _, _ in }
      case .three: return when(fulfilled: p[0], p[1], p[2], cancellingRest: cancels).map { _, _, _ in }
      case .four:
        return when(fulfilled: p[0], p[1], p[2], p[3], cancellingRest: cancels).map { _, _, _, _ in }
      case .five:
        return when(fulfilled: p[0], p[1], p[2], p[3], p[4], cancellingRest: cancels)
          .map { _, _, _, _, _ in }
      case .race: return UVPromises.race(p, cancellingRest: cancels).asVoid()
      case .variadicRace: return UVPromises.race(p[0], p[1], p[2], cancellingRest: cancels).asVoid()
      case .guaranteeRace:
        let g = p.map { promise in promise.recover(on: nil) { _ in Guarantee.value(0) } }
        return Promise(UVPromises.race(g[0], g[1], g[2], cancellingRest: cancels)).asVoid()
      case .raceOfValues: return UVPromises.race(fulfilled: p, cancellingRest: cancels).asVoid()
      case .any: return UVPromises.any(p, cancellingRest: cancels).asVoid()
      }
    }
  }

  enum Moment: CaseIterable, Sendable { case before, later }

  @Test(
    "Those that nobody else waits for are cancelled if it is to do so, and go on otherwise",
    arguments: Form.allCases, Moment.allCases)
  func rest(form: Form, moment: Moment) async throws {
    try await withLoop { loop in
      Reports().install()
      let count = form.count ?? 3
      for (decider, cancels) in (0..<count).flatMap({ [($0, true), ($0, false)] }) {
        for awaited in 0..<count where awaited != decider {
          var (promises, seals): ([Promise<Int>], [Resolver<Int>]) = ([], [])
          for _ in 0..<count {
            let (promise, seal) = Promise<Int>.pending()
            promises.append(promise)
            seals.append(seal)
          }
          let other = promises[awaited].map { $0 }
          other.cauterizeSilently()
          func decide() {
            if form.isDecidedByError {
              seals[decider].reject(Boom())
            } else {
              seals[decider].fulfill(decider)
            }
          }
          if moment == .before { decide() }
          let gathered = form.gather(promises, cancels)
          gathered.cauterizeSilently()
          if moment == .later { decide() }
          try await loop.until { gathered.isResolved }
          try await loop.sleep(for: .zero).value
          #expect(gathered.isRejected == form.isDecidedByError)
          for index in 0..<count where index != decider {
            let name = "\(form) \(moment), \(decider) decides, \(awaited) is awaited, \(index), \(cancels)"
            let isCancelled = promises[index].error?.isCancelled == true
            #expect(isCancelled == (cancels && index != awaited), "\(name)")
            #expect(seals[index].fulfill(7) == !isCancelled, "\(name)")
          }
          let last = try await other.async()
          #expect(last == 7)
        }
      }
    }
  }

  // That of guarantees can't fail, and is decided by the first of its parts that is cancelled.
  @Test(
    "Cancelling it cancels all that nobody else waits for, and who waits besides gets the value",
    arguments: Form.allCases.filter { $0 != .guaranteeRace })
  func cancelled(form: Form) async throws {
    try await withLoop { loop in
      Reports().install()
      let count = form.count ?? 3
      for awaited in 0..<count {
        var (promises, seals): ([Promise<Int>], [Resolver<Int>]) = ([], [])
        for _ in 0..<count {
          let (promise, seal) = Promise<Int>.pending()
          promises.append(promise)
          seals.append(seal)
        }
        let other = promises[awaited].map { $0 }
        let gathered = form.gather(promises, false)
        gathered.cancel()
        gathered.cauterizeSilently()
        try await loop.until { gathered.isResolved }
        #expect(gathered.error?.isCancelled == true, "\(form)")
        for index in 0..<count {
          #expect(seals[index].fulfill(7) == (index == awaited), "\(form), \(awaited) is awaited, \(index)")
        }
        let last = try await other.async()
        #expect(last == 7)
      }
    }
  }

  @Test("An operation is cancelled by the last of its waiters, in whatever order they are cancelled")
  func waiters() async throws {
    try await withLoop { loop in
      Reports().install()
      for order in Self.orders(of: 4) {
        for count in 1...4 {
          let (promise, seal) = Promise<Int>.pending()
          var cancelCount = 0
          seal.onCancel { cancelCount += 1 }
          let waiters: [Promise<Void>] = (0..<count).map { number in
            switch number {
            case 0: promise.asVoid()
            case 1: promise.done { _ in }
            case 2: promise.timeout(after: .untilCancelled).asVoid()
            default: when(fulfilled: [promise]).asVoid()
            }
          }
          for waiter in waiters { waiter.cauterizeSilently() }
          for (step, number) in order.filter({ $0 < count }).enumerated() {
            #expect(cancelCount == 0 && promise.isPending, "\(order) of \(count) before \(step)")
            waiters[number].cancel()
          }
          #expect(cancelCount == 1 && promise.error?.isCancelled == true, "\(order) of \(count)")
          try await loop.until { waiters.allSatisfy { $0.error?.isCancelled == true } }
          #expect(loop.statistics.timers == 0)
        }
      }
    }
  }

  @Test("A cancelled task cancels the promise that it awaits if nobody else waits, whoever else has waited")
  func tasks() async throws {
    try await withLoop { loop in
      Reports().install()
      for count in 1...3 {
        for hasBegun in [true, false] {
          let (promise, seal) = Promise<Int>.pending()
          let others = (0..<count).map { _ in promise.map { $0 } }
          for other in others { other.cauterizeSilently() }
          for left in (0..<count).reversed() {
            let task = loop.spawn { try await promise.async() }
            if hasBegun { try await loop.sleep(for: .zero).value }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(promise.isPending, "\(left + 1) wait besides")
            others[left].cancel()
            try await loop.sleep(for: .zero).value
          }
          #expect(!seal.fulfill(1))
          let late = loop.spawn { try await promise.async() }
          await #expect(throws: (any Error).self) { try await late.value }
        }
      }
    }
  }

  private static func orders(of count: Int) -> [[Int]] {
    if count == 0 { return [[]] }
    return orders(of: count - 1).flatMap { rest in
      (0...rest.count).map { place in
        var order = rest
        order.insert(count - 1, at: place)
        return order
      }
    }
  }
}
