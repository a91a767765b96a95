import Testing
import UV
import UVPromises
import UVTestSupport

/// The handlers of one promise, of each kind and in each order: those that run at once do so as they were added, and the
/// others afterwards, as they were added.
@Suite struct HandlerOrderTests {
  enum Kind: CaseIterable, Sendable { case pipe, inline, microtask, gathered }

  enum Outcome: CaseIterable, Sendable { case value, error, lateValue }

  private static func lists(_ count: Int) -> [[Kind]] {
    if count == 0 { return [[]] }
    return lists(count - 1).flatMap { list in Kind.allCases.map { list + [$0] } }
  }

  @Test("Each handler runs once, in its turn", arguments: 1...4)
  func order(count: Int) async throws {
    try await withLoop { loop in
      Reports().install()
      for kinds in Self.lists(count) {
        for outcome in Outcome.allCases {
          let (promise, seal) = Promise<Int>.pending()
          var seen: [Int] = []
          if outcome == .lateValue { seal.fulfill(1) }
          for (number, kind) in kinds.enumerated() {
            switch kind {
            case .pipe: promise.pipe { _ in seen.append(number) }
            case .inline: promise.tap(on: nil) { _ in seen.append(number) }.cauterizeSilently()
            case .microtask: promise.tap { _ in seen.append(number) }.cauterizeSilently()
            case .gathered: when(resolved: [promise]).done(on: nil) { _ in seen.append(number) }
            }
          }
          if outcome == .value { seal.fulfill(1) }
          if outcome == .error { seal.reject(Boom()) }
          let atOnce = kinds.indices.filter { kinds[$0] != .microtask }
          #expect(seen == atOnce, "\(kinds) \(outcome)")
          try await loop.sleep(for: .zero).value
          #expect(seen == atOnce + kinds.indices.filter { kinds[$0] == .microtask }, "\(kinds) \(outcome)")
        }
      }
    }
  }

  @Test(
    "A handler that adds others, or cancels a later one, changes what comes after it alone",
    arguments: Kind.allCases)
  func within(kind: Kind) async throws {
    try await withLoop { loop in
      Reports().install()
      for place in 0..<3 {
        for cancelled in 0..<3 {
          let (promise, seal) = Promise<Int>.pending()
          var seen: [Int] = []
          var steps: [Promise<Int>] = []
          for number in 0..<3 {
            let body: (Int) -> Int = { value in
              seen.append(number)
              if number == place {
                promise.done { _ in seen.append(9) }.cauterizeSilently()
                steps[cancelled].cancel()
              }
              return value
            }
            switch kind {
            case .inline: steps.append(promise.map(on: nil, body))
            case .gathered: steps.append(when(fulfilled: [promise]).map(on: nil) { body($0[0]) })
            case .microtask, .pipe: steps.append(promise.map(body))
            }
            steps.last!.cauterizeSilently()
          }
          if kind == .pipe { promise.pipe { _ in seen.append(5) } }
          seal.fulfill(1)
          try await loop.settle()
          let ran = (0..<3).filter { $0 <= place || $0 != cancelled }
          let expected = (kind == .pipe ? [5] : []) + ran + [9]
          #expect(seen == expected, "\(place) cancels \(cancelled)")
          for number in 0..<3 where number != cancelled { #expect(steps[number].value == 1) }
          if cancelled > place { #expect(steps[cancelled].error?.isCancelled == true) }
        }
      }
    }
  }
}
