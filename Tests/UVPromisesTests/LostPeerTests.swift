import Testing
import UV
import UVPromises
import UVTestSupport

/// Several promises behind one, of which some are lost: nobody can resolve them any more.
@Suite struct LostPeerTests {
  enum Outcome: CaseIterable { case value, error, lost }

  /// How they are waited for.
  enum Rule: CaseIterable {
    case all, tuple, settled, race, raceOfValues, any

    /// What comes of promises that have these outcomes in that order.
    func expected(_ outcomes: [Outcome], _ order: [Int]) -> String {
      func first(_ wanted: [Outcome]) -> Int? { order.first { wanted.contains(outcomes[$0]) } }
      let isLost = outcomes.contains(.lost)
      switch self {
      case .all, .tuple:
        return first([.error]).map { "error \($0)" } ?? (isLost ? "abandoned" : "0, 1, 2")
      case .settled:
        return isLost ? "abandoned" : outcomes.indices.map { "\(outcomes[$0]) \($0)" }.joined(separator: ", ")
      case .race: return first([.value, .error]).map { "\(outcomes[$0]) \($0)" } ?? "abandoned"
      case .raceOfValues:
        return first([.value]).map { "value \($0)" } ?? (isLost ? "abandoned" : "no winner")
      case .any: return first([.value]).map { "value \($0)" } ?? (isLost ? "abandoned" : "errors 0, 1, 2")
      }
    }

    /// The outcome of promises in words.
    func wait(for promises: [Promise<Int>]) -> Promise<String> {
      func words(_ numbers: [Int]) -> String { numbers.map(String.init).joined(separator: ", ") }
      switch self {
      case .all: return when(fulfilled: promises).map { words($0) }
      case .tuple:
        return when(fulfilled: promises[0], promises[1], promises[2]).map { words([$0, $1, $2]) }
      case .settled:
        return Promise(when(resolved: promises)).map { results in
          results.map {
            switch $0 {
            case .fulfilled(let number): "value \(number)"
            case .rejected(let error): LostPeerTests.words(error)
            }
          }.joined(separator: ", ")
        }
      case .race: return UVPromises.race(promises).map { "value \($0)" }
      case .raceOfValues: return UVPromises.race(fulfilled: promises).map { "value \($0)" }
      case .any: return UVPromises.any(promises).map { "value \($0)" }
      }
    }
  }

  private static func words(_ error: any Error) -> String {
    switch error {
    case let boom as Boom: "error \(boom.number)"
    case PMKError.abandoned: "abandoned"
    case PMKError.noWinner: "no winner"
    case PMKError.aggregate(let errors):
      "errors " + errors.map { "\(($0 as? Boom)?.number ?? -1)" }.joined(separator: ", ")
    default: "\(error)"
    }
  }

  private static let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]

  @Test(
    "Whichever of three promises are lost, and in whatever order they end, who waits for them hears of it",
    arguments: Outcome.allCases, Outcome.allCases)
  func each(first: Outcome, second: Outcome) async throws {
    try await withLoop { loop in
      Reports().install()
      for third in Outcome.allCases {
        for order in Self.orders { try await Self.check([first, second, third], order, loop) }
      }
    }
  }

  private nonisolated(nonsending) static func check(
    _ outcomes: [Outcome], _ order: [Int], _ loop: EventLoop
  ) async throws {
    var (promises, seals): ([Promise<Int>], [Resolver<Int>?]) = ([], [])
    for _ in 0..<3 {
      let (promise, seal) = Promise<Int>.pending()
      promises.append(promise)
      seals.append(seal)
    }
    var ends: [Rule: String] = [:]
    for rule in Rule.allCases {
      let waiting = rule.wait(for: promises)
      loop.spawn {
        do { ends[rule] = try await waiting.async() } catch { ends[rule] = words(error) }
      }
    }
    promises = []
    // The tasks wait by then.
    try await loop.sleep(for: .zero).value
    for index in order {
      switch outcomes[index] {
      case .value: seals[index]?.fulfill(index)
      case .error: seals[index]?.reject(Boom(number: index))
      case .lost: break
      }
      seals[index] = nil
      // A loss is a message to the loop.
      for _ in 0..<2 { try await loop.sleep(for: .zero).value }
    }
    try await loop.until { ends.count == Rule.allCases.count }
    for rule in Rule.allCases {
      #expect(ends[rule] == rule.expected(outcomes, order), "\(rule) of \(outcomes) in the order \(order)")
    }
  }
}
