import Dispatch
import Testing
import UV
import UVPromises
import UVTestSupport

/// Handlers that cancel what waits for the same promise, and promises that stand twice in one gathering.
@Suite struct ReentrantTests {
  /// What gathers promises.
  enum Gathering: CaseIterable, Sendable { case all, settled, first, fulfilled, any }

  private static func gather(_ gathering: Gathering, _ promises: [Promise<Int>]) -> Promise<String> {
    switch gathering {
    case .all: when(fulfilled: promises).map { "\($0)" }
    case .settled: Promise(when(resolved: promises).map { "\($0.compactMap(\.value))" })
    case .first: race(promises).map { "\($0)" }
    case .fulfilled: race(fulfilled: promises).map { "\($0)" }
    case .any: any(promises).map { "\($0)" }
    }
  }

  @Test(
    "A promise that stands several times in a gathering, with a handler before it, settles it once, and is let go",
    arguments: Gathering.allCases, [false, true])
  func twice(gathering: Gathering, fails: Bool) async throws {
    final class Value: Sendable {}
    let isGone = Box<() -> Bool>(nil)
    let log = try await program { _, log in
      let (promise, seal) = Promise<Int>.pending()
      let value = Value()
      isGone.value = { [weak value] in value == nil }
      promise.done { [value] _ in withExtendedLifetime(value) {} }.catch { _ in }
      Self.gather(gathering, [promise, promise, promise]).map { [value] text in
        withExtendedLifetime(value) { text }
      }
      .done { log($0) }.catch { _ in log("failed") }
      if fails { seal.reject(Boom()) } else { seal.fulfill(1) }
    }
    let value = gathering == .all || gathering == .settled ? "[1, 1, 1]" : "1"
    #expect(log == [!fails ? value : gathering == .settled ? "[]" : "failed"])
    #expect(isGone.value!())
  }

  @Test func `A cache's promise that fails fails each gathering that has it twice`() async throws {
    try await program(logs: ["all Boom(number: 0)", "first Boom(number: 0)"]) { _, log in
      let (shared, seal) = Promise<Int>.pending()
      shared.done { _ in }.catch { log("first \($0)") }
      when(fulfilled: [shared, .value(2), shared]).done { _ in }.catch { log("all \($0)") }
      seal.reject(Boom())
    }
  }

  @Test(
    "An inline handler of one race that cancels another race on the same promise cancels that one alone")
  func raceThatCancelsAnother() async throws {
    try await program(logs: ["first 1", "second cancelled"]) { _, log in
      let (shared, seal) = Promise<Int>.pending()
      var second: Promise<Int>?
      race(shared, UVPromises.after(.milliseconds(1)).map { 2 }).done(on: nil) {
        log("first \($0)")
        second?.cancel()
      }.cauterize()
      second = race(shared, UVPromises.after(.milliseconds(1)).map { 3 })
      second!.done { log("second \($0)") }
        .catch(policy: .allErrors) { log($0.isCancelled ? "second cancelled" : "second \($0)") }
      seal.fulfill(1)
    }
  }

  @Test func `A later step that an inline handler cancels runs once, with the cancellation`() async throws {
    try await program(logs: ["ensured", "99"]) { _, log in
      let (promise, seal) = Promise<Int>.pending()
      var recovered: Promise<Int>?
      var ensured: Promise<Int>?
      promise.done(on: nil) { _ in
        recovered?.cancel()
        ensured?.cancel()
      }.cauterize()
      recovered = promise.recover(on: nil, policy: .allErrors) { _ in Promise<Int>.value(99) }
      ensured = promise.ensure(on: nil) { log("ensured") }
      ensured!.cauterize()
      recovered!.done { log("\($0)") }.cauterize()
      seal.fulfill(7)
    }
  }

  @Test func `A step on a queue that an inline handler cancels is done once`() async throws {
    let count = Log<Int>()
    _ = try await program { _, _ in
      let (promise, seal) = Promise<Int>.pending()
      var ensured: Promise<Int>?
      promise.done(on: nil) { _ in ensured?.cancel() }.cauterize()
      ensured = promise.ensure(on: DispatchQueue.global()) { count.append(1) }
      ensured!.cauterize()
      seal.fulfill(7)
    }
    #expect(count.values == [1])
  }

  @Test func `pipe on a settled promise calls its body at once, inside an inline handler, too`() async throws
  {
    try await program(logs: ["before", "piped 1", "after", "piped Boom(number: 0)", "end"]) { _, log in
      let (outer, seal) = Promise<Void>.pending()
      outer.done(on: nil) {
        log("before")
        Promise.value(1).pipe { log("piped \($0.value!)") }
        log("after")
        Promise<Int>(error: Boom()).pipe { log("piped \($0.error!)") }
        log("end")
      }.cauterize()
      seal.fulfill()
    }
  }

  @Test func `ensureThen that returns its own promise is rejected with returnedSelf`() async throws {
    try await program(logs: ["returnedSelf"]) { _, log in
      var own: Promise<Void>?
      own = Promise.value(1).ensureThen { own! }.asVoid()
      // The step itself, and not what follows it.
      var step: Promise<Void>?
      step = Promise<Void>.value.ensureThen { step! }
      step!.catch { error in
        if case PMKError.returnedSelf = error { log("returnedSelf") } else { log("\(error)") }
      }
      own!.cancel()
      own!.cauterize()
    }
  }

  @Test func `onCancel that is registered after the cancellation runs at once`() async throws {
    try await program(logs: ["promise", "guarantee"]) { _, log in
      let (promise, seal) = Promise<Int>.pending()
      promise.cancel()
      seal.onCancel { log("promise") }
      promise.cauterize()
      var late: (() -> Void)?
      let guarantee = Promise<Int> { seal in
        late = { seal.onCancel { log("guarantee") } }
      }
      guarantee.cauterize()
      guarantee.cancel()
      late!()
      // Not once it has an outcome, nor while it is pending.
      let (settled, other) = Promise<Int>.pending()
      other.fulfill(1)
      settled.cancel()
      other.onCancel { log("never") }
      let (pending, third) = Promise<Int>.pending()
      third.onCancel { log("never") }
      third.fulfill(1)
      pending.cauterize()
    }
  }

  @Test func `What a body makes that has cancelled its each or its when is cancelled`() async throws {
    try await program(logs: ["each cancelled", "when cancelled"]) { loop, log in
      func work(_ name: String) -> Promise<Void> {
        let (promise, seal) = Promise<Void>.pending()
        seal.onCancel { log("\(name) cancelled") }
        return promise
      }
      var each: Promise<Void>?
      each = loop.ticks(every: .milliseconds(1)).each { _ in
        each?.cancel()
        return work("each")
      }
      each!.catch(policy: .allErrors) { _ in
        var all: Promise<[Void]>?
        var count = 0
        let makers = AnyIterator<Promise<Void>> {
          count += 1
          if count == 1 { return loop.sleep(for: .milliseconds(1)).promise() }
          all?.cancel()
          return work("when")
        }
        all = when(fulfilled: makers, concurrently: 1)
        all!.cauterize()
      }
    }
  }
}
