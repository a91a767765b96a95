import Dispatch
import Foundation
import Testing
import UV
import UVPromises
import UVTestSupport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What PromiseKit's own tests and documentation expect.
@Suite struct PromiseKitTests {
  @Test func `Foundation's cancellations are cancellations`() {
    #expect(URLError(.cancelled).isCancelled && !URLError(.timedOut).isCancelled)
    #expect(CocoaError(.userCancelled).isCancelled && !CocoaError(.fileNoSuchFile).isCancelled)
    let erased: [any Error] = [
      URLError(.cancelled), CocoaError(.userCancelled), NSError(domain: NSURLErrorDomain, code: -999),
    ]
    #expect(erased.allSatisfy { $0.isCancelled })
    let others: [any Error] = [
      Boom(), NSError(domain: "mine", code: -999), NSError(domain: "mine", code: 3072),
    ]
    #expect(!others.contains { $0.isCancelled })
    #expect(PMKError.badInput.errorDescription == PMKError.badInput.description)
  }

  @Test func `when and race of settled promises are settled at once`() async throws {
    _ = try await program { _, _ in
      #expect(when(fulfilled: [Promise.value(1), .value(2)]).value == [1, 2])
      #expect(when(fulfilled: [Promise<Int>]()).value == [])
      #expect(when(fulfilled: Promise.value(1), Promise.value("x")).isFulfilled)
      let (pending, seal) = Promise<Int>.pending()
      #expect(race(Promise.value(1), pending).value == 1)
      seal.fulfill(2)
      #expect(when(resolved: [Promise<Int>(error: Boom())]).value?.count == 1)
      #expect(when(guarantees: [Guarantee.value(1)]).value == [1])
      #expect(when(fulfilled: [Promise<Int>(error: Boom()), .value(1)]).error is Boom)
    }
  }

  @Test func `descriptions are PromiseKit's`() async throws {
    _ = try await program { _, _ in
      let rejected = Promise<String>(error: Boom())
      #expect(rejected.debugDescription == "Promise<String>.rejected(Boom.Boom(number: 0))")
      #expect(rejected.error != nil)
      #expect(Promise().debugDescription == "Promise<()>.fulfilled(())")
      #expect("\(LogEvent.waitOnMainThread)" == "waitOnMainThread")
      #expect("\(LogEvent.pendingPromiseDeallocated())" == "pendingPromiseDeallocated")
      #expect("\(LogEvent.pendingGuaranteeDeallocated())" == "pendingGuaranteeDeallocated")
      #expect("\(LogEvent.pendingPromiseDeallocated)" == "pendingPromiseDeallocated")
      #expect("\(LogEvent.pendingGuaranteeDeallocated)" == "pendingGuaranteeDeallocated")
      #expect("\(PMKError.noWinner)" == "All thenables passed to race(fulfilled:) were rejected")
      guard case .compactMap("1", _) = PMKError.compactMap(1, Int.self) else { return #expect(Bool(false)) }
      #expect("\(LogEvent.cauterized(Boom()))".hasPrefix("cauterized(UVPromisesTests.Boom"))
    }
  }

  @Test func `names that were missing`() async throws {
    try await program(logsInAnyOrder: ["(1, \"x\")", "[3, 2, 1]", "flags", "no queue", "void"]) { _, log in
      Guarantee.value([1, 3, 2]).sortedValues { $0 > $1 }.done { log("\($0)") }
      when(Guarantee.value(1), Guarantee.value("x")).done { log("\($0)") }
      when(Guarantee(), Guarantee()).done { log("void") }
      Promise.value(1).done { _ in }.catch { _ in }.finally(on: .global(), flags: .barrier) { log("flags") }
      Promise.value(1).done { _ in }.catch { _ in }.finally(on: nil, flags: nil) { log("no queue") }
    }
  }

  @Test func `when of any number of guarantees of a type gives an array, of several types a tuple`()
    async throws
  {
    try await program(logs: ["[1, 4, 2, 5, 3, 6]", "[7]", "3", "1x"]) { _, log in
      func one(_ value: Int) -> Guarantee<Int> { .value(value) }
      when(one(1), one(4), one(2), one(5), one(3), one(6)).done { log("\($0)") }
      when(one(7)).done { log("\($0)") }
      when(one(1), one(2)).done { first, second in log("\(first + second)") }
      when(one(1), Guarantee.value("x")).done { number, text in log("\(number)\(text)") }
    }
  }

  @Test func `every handler may run on a queue`() async throws {
    try await program(logsInAnyOrder: [
      "[3, 4]", "done 1", "ensureThen false", "finally false", "first 2", "get false", "none true",
      "recover false", "then false",
    ]) { loop, log in
      let executor = loop.executor
      let queue: DispatchQueue? = DispatchQueue(label: "queue")
      @Sendable func here(_ name: String) { log("\(name) \(executor.isOnLoop)") }
      Promise.value([3, 1, 2]).mapValues(on: queue) { $0 + 1 }.filterValues(on: .global()) { $0 > 2 }
        .thenMap(on: .global()) { .value($0) as Promise<Int> }.sortedValues(on: .global())
        .done { log("\($0)") }.cauterize()
      Promise.value([1, 2]).firstValue(on: .global()) { $0 > 1 }.done { log("first \($0)") }.cauterize()
      Promise<Int>(error: Boom()).ensureThen(on: .global()) {
        here("ensureThen")
        return .value
      }.done { _ in }.recover(on: .global()) { (_: any Error) -> Void in here("recover") }.then(on: .global())
      {
        here("then")
        return Guarantee.value(1)
      }.get(on: .global()) { _ in here("get") }.done { log("done \($0)") }
      Promise.value(1).done { _ in }.catch { _ in }.finally(on: .global()) { here("finally") }
      let none: DispatchQueue? = nil
      Promise.value(1).map(on: none) { $0 }.done { _ in here("none") }.cauterize()
    }
  }

  @Test(
    "done(on: .main) of a main actor's class compiles in Swift 6", .enabled(if: Compiler.isThere))
  func mainQueue() throws {
    let problems = try Compiler.problems(
      """
      import Dispatch
      import UVPromises
      @MainActor final class Model {
        var name = ""
        func load(_ promise: Promise<String>, _ guarantee: Guarantee<String>) {
          promise.done(on: .main) { self.name = $0 }.ensure(on: .main) { self.name += "." }
            .catch(on: .main) { self.name = "\\($0)" }.finally(on: .main) { self.name += "!" }
          guarantee.done(on: .main) { self.name = $0 }
          guarantee.get(on: .main) { self.name = $0 }.map(on: .main) { self.name + $0 }.done { _ in }
          promise.map(on: .main) { self.name + $0 }.compactMap(on: .main) { $0 == self.name ? nil : $0 }
            .get(on: .main) { self.name = $0 }.tap(on: .main) { self.name = "\\($0)" }.done { _ in }
            .recover(on: .main) { self.name = "\\($0)" }.done { }
          promise.then(on: .main) { Promise.value($0.count) }.recover(on: .main) { _ in Promise.value(1) }
            .ensureThen(on: .main) { Guarantee() }.map { [$0] }.mapValues(on: .main) { $0 + 1 }
            .firstValue(on: .main) { $0 > 0 }.done(on: DispatchQueue.main) { print($0) }.cauterize()
        }
      }
      """)
    #expect(problems.map(\.message) == [])
  }

  @Test(
    "a resolver is used on a queue in Swift 6 without an annotation", .enabled(if: Compiler.isThere))
  func resolverInSwift6() throws {
    let problems = try Compiler.problems(
      """
      import Dispatch
      import UVPromises
      func one(_ queue: DispatchQueue) -> Promise<Int> { Promise { seal in queue.async { seal.fulfill(1) } } }
      func two(_ queue: DispatchQueue) -> Guarantee<Int> { Guarantee { seal in queue.async { seal(1) } } }
      func three(_ queue: DispatchQueue) -> Promise<Void> {
        let (promise, seal) = Promise<Void>.pending()
        queue.async { seal.fulfill() }
        return promise
      }
      func four(_ queue: DispatchQueue) -> Guarantee<String> {
        let (guarantee, resolve) = Guarantee<String>.pending()
        queue.async { resolve("x") }
        return guarantee
      }
      """)
    #expect(problems.map(\.message) == [])
  }

  @Test(
    "what a completion handler is given needs no type in Swift 6", .enabled(if: Compiler.isThere))
  func completionHandlersInSwift6() throws {
    let problems = try Compiler.problems(
      """
      import UVPromises
      final class Reply {}
      func fetch(_ done: @escaping (Int?, (any Error)?) -> Void) {}
      func fetchElsewhere(_ done: @escaping @Sendable (Int?, (any Error)?) -> Void) {}
      func fetchReply(_ done: @escaping (Reply?, (any Error)?) -> Void) {}
      func fetchResult(_ done: @escaping (Result<Int, any Error>) -> Void) {}
      func run(_ done: @escaping ((any Error)?) -> Void) {}
      let one: Promise<Int> = Promise { fetch($0.resolve) }
      let two = Promise { fetch($0.resolve) }.map { $0 + 1 }
      let three = Promise { seal in fetchElsewhere(seal.resolve) }
      let four = Promise { fetchReply($0.resolve) }
      let five = Promise { fetchResult($0.resolve) }
      let six = Promise { run($0.resolve) }
      """)
    #expect(problems.map(\.message) == [])
  }

  @Test func `cancelling a chain whose source was rejected keeps the real error`() async throws {
    let log = try await program { _, log in
      let (promise, seal) = Promise<Int>.pending()
      let chain = promise.map { $0 }.map { $0 }
      chain.catch(policy: .allErrors) { log("\($0)") }
      seal.reject(Boom())
      chain.cancel()
      let context = Promise<Int>(error: Boom(number: 1)).cancellize()
      let rest = context.map { $0 }
      rest.catch(policy: .allErrors) { log("\($0)") }
      rest.cancelContext.cancel()
    }
    // Each step is a microtask, and the second chain has one step less.
    #expect(log == ["Boom(number: 1)", "Boom(number: 0)"])
  }

  @Test func `a handler on a thread without a loop stops the program with a sentence`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Promise.value(1).done { _ in }.cauterize()
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("this thread has none"))
  }
}
