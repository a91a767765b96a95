import Dispatch
import Testing
import UV
import UVPromises
import UVTestSupport

/// Each step of a guarantee, wherever its handler runs, whether the value is there or comes.
@Suite struct GuaranteeTableTests {
  enum Step: CaseIterable, Sendable { case map, then, done, get, asVoid, thenPromise, mapPromise }

  enum Place: CaseIterable, Sendable { case microtask, inline, queue }

  private static func attach(
    _ step: Step, _ place: Place, to guarantee: Guarantee<Int>, _ ran: Log<Int>
  ) -> Promise<String> {
    let here: LoopDispatcher? = place == .inline ? nil : .microtask
    let queue = DispatchQueue.global()
    func words<T>(_ guarantee: Guarantee<T>) -> Promise<String> {
      Promise(guarantee.map(on: nil) { "\($0)" })
    }
    let isOnQueue = place == .queue
    switch step {
    case .map:
      let body: @Sendable (Int) -> Int = {
        ran.append($0)
        return $0 * 2
      }
      return words(isOnQueue ? guarantee.map(on: queue, body) : guarantee.map(on: here, body))
    case .then:
      let body: @Sendable (Int) -> Guarantee<Int> = {
        ran.append($0)
        return .value($0 * 2)
      }
      return words(isOnQueue ? guarantee.then(on: queue) { body($0) } : guarantee.then(on: here, body))
    case .done:
      let body: @Sendable (Int) -> Void = { ran.append($0) }
      return words(isOnQueue ? guarantee.done(on: queue, body) : guarantee.done(on: here, body))
    case .get:
      let body: @Sendable (Int) -> Void = { ran.append($0) }
      return words(isOnQueue ? guarantee.get(on: queue, body) : guarantee.get(on: here, body))
    case .asVoid:
      ran.append(1)
      return words(guarantee.asVoid())
    case .thenPromise:
      let body: @Sendable (Int) throws -> Promise<Int> = {
        ran.append($0)
        return .value($0 * 2)
      }
      let promise: Promise<Int> =
        isOnQueue ? guarantee.then(on: queue) { try body($0) } : guarantee.then(on: here) { try body($0) }
      return promise.map(on: nil) { "\($0)" }
    case .mapPromise:
      let body: @Sendable (Int) throws -> Int = {
        ran.append($0)
        throw Boom(number: $0)
      }
      let promise: Promise<Int> =
        isOnQueue ? guarantee.map(on: queue) { try body($0) } : guarantee.map(on: here) { try body($0) }
      return promise.map(on: nil) { "\($0)" }
    }
  }

  @Test(
    "A handler of a guarantee runs once with its value, and the result is what it makes of that",
    arguments: Step.allCases)
  func table(step: Step) async throws {
    try await withLoop { loop in
      Reports().install()
      for place in Place.allCases {
        for isThere in [true, false] {
          let (guarantee, resolve) = Guarantee<Int>.pending()
          if isThere { resolve(1) }
          let ran = Log<Int>()
          let end = Self.attach(step, place, to: guarantee, ran)
          if place == .inline { #expect(end.isResolved == isThere, "\(step)") }
          if !isThere {
            if step != .asVoid { #expect(ran.values.isEmpty) }
            resolve(1)
            resolve(5)
          }
          if place == .inline { #expect(end.isResolved) }
          if place == .microtask, step != .asVoid { #expect(end.isPending, "a handler runs later") }
          let seen: String
          do { seen = try await end.async() } catch { seen = "\(error)" }
          let expected =
            switch step {
            case .map, .then, .thenPromise: "2"
            case .done, .asVoid: "()"
            case .get: "1"
            case .mapPromise: "Boom(number: 1)"
            }
          #expect(seen == expected, "\(step) \(place)")
          #expect(ran.values == [1], "\(step) \(place)")
          #expect(guarantee.value == 1)
        }
      }
    }
  }
}
