import Foundation
import Testing
import UV
import UVPromises
import UVTestSupport

/// Many promises, which need no more of the heap and of the stack than few.
@Suite(.serialized) struct FlatTests {
  /// How a step goes on with the next.
  enum Step: CaseIterable {
    case then, thenPending, thenInline, get, recover, recoverLater
  }

  private struct Refusal: Error {}

  private static let steps = 6000

  @Test(arguments: Step.allCases)
  func `A recursion needs no more of the heap for many steps than for few`(step: Step) async throws {
    try await program(logs: ["\(Self.steps)", "flat"]) { loop, log in
      var (before, growth) = (0, 0)
      func note(_ number: Int) {
        if number == Self.steps / 10 { before = Hooks.heapInUse ?? 0 }
        // Nothing is settled yet.
        if number == Self.steps { growth = (Hooks.heapInUse ?? 0) - before }
      }
      func count(_ number: Int) -> Promise<Int> {
        note(number)
        func next() -> Promise<Int> { number == Self.steps ? .value(number) : count(number + 1) }
        switch step {
        case .then: return Promise.value(number).then { _ in next() }
        case .thenPending:
          let (promise, seal) = Promise<Int>.pending()
          loop.queueMicrotask { seal.fulfill(number) }
          return promise.then { _ in next() }
        case .thenInline: return Promise.value(number).map { $0 }.then(on: nil) { _ in next() }
        case .recover:
          let (promise, seal) = Promise<Int>.pending()
          loop.queueMicrotask { seal.reject(Refusal()) }
          return promise.recover { _ in next() }
        // What is rejected within one turn is kept for its end, which looks for rejections without a handler.
        case .recoverLater:
          return after(.zero).then { Promise<Int>(error: Refusal()) }.recover { _ in next() }
        case .get: return Promise.value(number).get { _ in }.then { _ in next() }
        }
      }
      count(0).done {
        log("\($0)")
        // A promise for each step would be ten times as much.
        log(growth < Self.steps * 10 ? "flat" : "grew by \(growth)")
      }.cauterize()
    }
  }

  @Test(arguments: [1, 4])
  func `Promises that are resolved already are drawn without a stack, and without waiting`(atATime: Int)
    async throws
  {
    // On a thread with a small stack.
    try await program(logs: ["100000", "100000 4999950000"]) { _, log in
      var drawn = 0
      let next = AnyIterator { () -> Promise<Int>? in
        if drawn == 100_000 { return nil }
        drawn += 1
        return .value(drawn - 1)
      }
      when(fulfilled: next, concurrently: atATime).done { log("\($0.count) \($0.reduce(0, +))") }.cauterize()
      log("\(drawn)")
    }
  }
}
