import Dispatch
import Foundation
import Synchronization
import Testing
import UV
import UVPromises
import UVTestSupport

/// What a handler that runs on a queue makes there: promises of the chain's loop.
@Suite struct HandlerOnQueueTests {
  private static let queue = DispatchQueue(label: "handlers", attributes: .concurrent)

  /// A promise that another thread resolves in a while.
  private static func fetch(_ number: Int) -> Promise<Int> {
    Promise { seal in
      queue.asyncAfter(deadline: .now() + .milliseconds(1)) { seal.fulfill(number) }
    }
  }

  @Test("a handler on a queue may make and return a promise that is resolved later, on another thread")
  func returned() async throws {
    try await program(logs: ["2 true"]) { loop, log in
      let executor = loop.executor
      firstly { Promise.value(1) }.then(on: Self.queue) { Self.fetch($0 + 1) }
        .done { log("\($0) \(executor.isOnLoop)") }.cauterize()
    }
  }

  @Test func `what is chained to a promise in a handler on a queue runs on the loop`() async throws {
    try await program(logsInAnyOrder: ["ensure true", "pending true", "settled true"]) { loop, log in
      let executor = loop.executor
      Promise.value(1).then(on: Self.queue) { number in
        Self.fetch(number).map { _ in executor.isOnLoop }.ensure { log("ensure \(executor.isOnLoop)") }
      }.done { log("pending \($0)") }.cauterize()
      Promise.value(1).then(on: Self.queue) { number in
        Promise.value(number).map { _ in executor.isOnLoop }
      }.done { log("settled \($0)") }.cauterize()
    }
  }

  @Test func `every way to make a promise works in a handler on a queue`() async throws {
    try await program(logsInAnyOrder: [
      "after: waited", "async: computed!", "concurrently: [1, 2, 3, 4]", "guarantee: sure!", "nested: 1",
      "pending: resolved", "race: 1", "recover: recovered", "rejected: Boom(number: 0)",
      "retry: Boom(number: 0)", "task: awaited", "thrown: Boom(number: 0)", "timeout: 1", "when: [1, 2, 3]",
    ]) { loop, log in
      func check(
        _ name: String, _ make: @escaping @Sendable () -> sending Promise<String>
      ) {
        Promise.value(1).then(on: Self.queue) { _ in make() }.done { log("\(name): \($0)") }
          .catch { log("\(name): \($0)") }
      }
      check("pending") {
        let (promise, seal) = Promise<String>.pending()
        Self.queue.async { seal.fulfill("resolved") }
        return promise
      }
      check("rejected") {
        Promise { seal in Self.queue.async { seal.reject(Boom()) } }
      }
      check("thrown") { Promise { _ in throw Boom() } }
      check("after") { after(.milliseconds(1)).map { "waited" } }
      check("async") { Self.queue.async(.promise) { "computed" }.map { $0 + "!" } }
      check("task") { Promise { "awaited" } }
      check("when") {
        when(fulfilled: [Self.fetch(1), Self.fetch(2), .value(3)]).map { "\($0)" }
      }
      check("race") {
        race(Self.fetch(1), after(.seconds(1000)).map { 2 }, cancellingRest: true).map { "\($0)" }
      }
      check("concurrently") {
        when(fulfilled: (1...4).map { Self.fetch($0) }.makeIterator(), concurrently: 2).map { "\($0)" }
      }
      check("retry") {
        retry(attempts: 2, delay: .none) { () -> Promise<String> in throw Boom() }
      }
      check("timeout") { Self.fetch(1).timeout(after: .seconds(1000)).map { "\($0)" } }
      check("recover") { Promise<String>(error: Boom()).recover { _ in after(.zero).map { "recovered" } } }
      check("guarantee") {
        Promise(Guarantee<String> { seal in Self.queue.async { seal("sure") } }.map { $0 + "!" })
      }
      check("nested") {
        Promise.value(1).then(on: Self.queue) { Self.fetch($0) }.map(on: CurrentThreadDispatcher()) {
          "\($0)"
        }
      }
    }
  }

  @Test func `every handler that returns a promise may return a pending one from a queue`() async throws {
    let log = try await program { loop, log in
      Promise<Int>(error: Boom()).recover(on: Self.queue) { _ in Self.fetch(1) }.done { log("recover \($0)") }
        .cauterize()
      Promise<Int>(error: Boom()).recover(on: Self.queue) { _ in after(.zero).map { 2 } }
        .done { log("guarantee \($0)") }
      Promise.value(3).ensureThen(on: Self.queue) { after(.zero).done { log("before 3") } }
        .done { log("ensureThen \($0)") }.cauterize()
      Guarantee.value(4).then(on: Self.queue) { number in after(.zero).map { number } }
        .done { log("then \($0)") }
      Promise.value([5, 6]).thenMap(on: Self.queue) { Self.fetch($0) }.done { log("thenMap \($0)") }
        .cauterize()
      Guarantee.value([7, 8]).thenFlatMap(on: Self.queue) { number in after(.zero).map { [number, number] } }
        .done { log("thenFlatMap \($0)") }
    }
    #expect(
      log.sorted() == [
        "before 3", "ensureThen 3", "guarantee 2", "recover 1", "then 4", "thenFlatMap [7, 7, 8, 8]",
        "thenMap [5, 6]",
      ])
    #expect(log.firstIndex(of: "before 3")! < log.firstIndex(of: "ensureThen 3")!)
  }

  @Test("a chain that a handler on a queue begins and keeps to itself runs to its end on the loop")
  func begun() async throws {
    try await program(logs: ["1 true"]) { loop, log in
      let executor = loop.executor
      Promise.value(1).done(on: Self.queue) { number in
        after(.milliseconds(1)).then { Self.fetch(number) }.done { log("\($0) \(executor.isOnLoop)") }
          .cauterize()
      }.cauterize()
    }
  }

  @Test func `a promise that a handler on a queue resolves is resolved at once, there`() async throws {
    try await program(logs: ["true 1", "inline 2", "end", "microtask 1"]) { loop, log in
      Promise.value(1).done(on: Self.queue) { number in
        let promise = Promise<Int> { $0.fulfill(number) }
        log("\(promise.isFulfilled) \(promise.value ?? 0)")
        promise.map(on: nil) { $0 + 1 }.done(on: nil) { log("inline \($0)") }.cauterize()
        promise.done { log("microtask \($0)") }.cauterize()
        log("end")
      }.cauterize()
    }
  }

  @Test(
    "a promise that other threads resolve while the handler runs is settled when the handler has returned")
  func resolvedMeanwhile() async throws {
    try await program(logs: ["true true", "1 2"]) { loop, log in
      let executor = loop.executor
      Promise.value(1).then(on: Self.queue) { _ in
        let called = DispatchSemaphore(value: 0)
        let (byQueue, first) = Promise<Int>.pending()
        let (byLoop, second) = Promise<Int>.pending()
        Self.queue.async {
          first.fulfill(1)
          called.signal()
        }
        try executor.execute { _ in
          second.fulfill(2)
          called.signal()
        }
        called.wait()
        called.wait()
        log("\(byQueue.isPending) \(byLoop.isPending)")
        return when(fulfilled: byQueue, byLoop)
      }.done { log("\($0) \($1)") }.cauterize()
    }
  }

  @Test func `a promise that a handler on a queue makes and nobody can resolve is reported`() async throws {
    let (log, reports) = try await programWithReports { loop, log in
      Promise.value(1).then(on: Self.queue) { _ in Promise<Int> { _ in } }.done { _ in log("never") }
        .cauterize()
    }
    #expect(log.isEmpty)
    #expect(reports.events.values.map(\.description) == ["pendingPromiseDeallocated"])
  }

  @Test func `cancelling a chain cancels the promise that its handler on a queue has made`() async throws {
    try await program(logsInAnyOrder: ["inner", "outer true"]) { loop, log in
      let taken = Log<Int>()
      let chain = Promise.value(1).then(on: Self.queue) { number in
        Promise.value(number).done { taken.append($0) }.cauterize()
        return after(.seconds(1000)).map { 1 }.then { Promise.value($0) }.ensure { log("inner") }
      }
      chain.catch(policy: .allErrors) { log("outer \($0.isCancelled)") }
      func cancelWhenTaken() {
        after(.milliseconds(1)).done { taken.values.isEmpty ? cancelWhenTaken() : chain.cancel() }
      }
      cancelWhenTaken()
    }
  }

  @Test("a chain that is cancelled while its handler runs on a queue cancels what the handler returns")
  func cancelledMeanwhile() async throws {
    let log = try await program { loop, log in
      let (entered, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let chain = Promise.value(1).then(on: Self.queue) { _ in
        entered.signal()
        goOn.wait()
        return after(.seconds(1000)).map { 1 }.then { Promise.value($0) }.ensure { log("inner") }
      }
      chain.catch(policy: .allErrors) { log("outer \($0.isCancelled)") }
      loop.queueMicrotask {
        entered.wait()
        chain.cancel()
        goOn.signal()
      }
    }
    // That the program ends shows that no timer is left.
    #expect(log == ["outer true", "inner"])
  }

  @Test func `what a handler on a queue cancels does not begin`() async throws {
    try await program(logs: ["true", "true"]) { loop, log in
      Promise.value(1).done(on: Self.queue) { _ in
        let wait = after(.seconds(1000)).map { 1 }.then { Promise.value($0) }
        wait.catch(policy: .allErrors) { log("\($0.isCancelled)") }
        wait.cancel()
        let task = Promise<Void> { log("never") }
        task.catch(policy: .allErrors) { log("\($0.isCancelled)") }
        task.cancel()
      }.cauterize()
    }
  }

  @Test("a loop that ends while a handler runs on a queue lets go of what the handler makes") func ended()
    async throws
  {
    let reports = Reports()
    let (entered, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let left = DispatchSemaphore(value: 0)
    final class Token: Sendable {
      let left: DispatchSemaphore
      init(_ left: DispatchSemaphore) { self.left = left }
      deinit { left.signal() }
    }
    try await withThread {
      reports.install()
      EventLoop.runCallbacks { (loop: EventLoop) throws(Never) in
        Promise.value(1).then(on: Self.queue) { _ in
          entered.signal()
          goOn.wait()
          let token = Token(left)
          return Promise<Int> { seal in Self.queue.async { _ = seal } }.map { _ in _ = token }
        }.done { _ in Issue.record("resolved") }.cauterize()
        loop.queueMicrotask {
          entered.wait()
          loop.stop()
        }
      }
      goOn.signal()
      left.wait()
      while reports.events.values.isEmpty { Thread.sleep(forTimeInterval: 0.001) }
    }
    #expect(reports.events.values.map(\.description) == ["pendingPromiseDeallocated"])
  }

  @Test("a promise of another loop that a handler returns stays there, and its outcome comes back")
  func ofAnotherLoop() async throws {
    try await program(logs: ["true true"]) { loop, log in
      let executor = loop.executor
      let ready = DispatchSemaphore(value: 0)
      let there = Log<LoopExecutor>()
      let ended = Promise<Void> { seal in
        let thread = DispatchQueue(label: "another loop")
        thread.async {
          EventLoop.runCallbacks { (other: EventLoop) throws(Never) in
            there.append(other.executor)
            other.sleep(for: .untilCancelled) { _ in }
            ready.signal()
          }
          seal.fulfill()
        }
      }
      ready.wait()
      let other = there.values[0]
      when(
        fulfilled: (0..<100).map { number in
          Promise.value(number).then(on: other) { number in
            after(.zero).map { other.isOnLoop && !executor.isOnLoop ? number : -1 }
          }
        }
      ).done { numbers in
        log("\(numbers == Array(0..<100)) \(executor.isOnLoop)")
      }.ensure { other.stop() }.then { ended }.cauterize()
    }
  }

  @Test("2,000 handlers on queues make promises that other threads, the loop and the handlers resolve")
  func many() async throws {
    try await program(logs: ["true"]) { loop, log in
      let executor = loop.executor
      let all = (0..<2000).map { number in
        Promise.value(number).then(on: Self.queue) { number in
          let (promise, seal) = Promise<Int>.pending()
          switch number % 4 {
          case 0: seal.fulfill(number)
          case 1: Self.queue.async { seal.fulfill(number) }
          case 2: try executor.execute { _ in seal.fulfill(number) }
          default:
            Self.queue.async { seal.fulfill(number) }
            try executor.execute { _ in seal.fulfill(number) }
          }
          return promise.map { $0 }.then { number in Promise.value(number).map(on: Self.queue) { $0 } }
        }
      }
      when(fulfilled: all).done { log("\($0 == Array(0..<2000))") }.cauterize()
    }
  }

  @Test("what the loop's thread answers while the handler that made the promise returns isn't lost")
  func answeredMeanwhile() async throws {
    final class Meeting: Sendable {
      let handler = Atomic(false)
      let loop = Atomic(false)
      let steps = Atomic(0)
    }
    try await program(logs: ["500"]) { loop, log in
      let executor = loop.executor
      let queue = DispatchQueue(label: "one handler at a time")
      let all = (0..<500).map { number in
        Promise.value(number).then(on: queue) { number in
          let (promise, seal) = Promise<Int>.pending()
          let meeting = Meeting()
          try executor.execute { _ in
            meeting.loop.store(true, ordering: .releasing)
            while !meeting.handler.load(ordering: .acquiring) { sched_yield() }
            // So that the answer comes sooner or later in relation to the handler's end.
            while meeting.steps.add(1, ordering: .relaxed).newValue < number % 100 {}
            seal.fulfill(number)
          }
          while !meeting.loop.load(ordering: .acquiring) { sched_yield() }
          meeting.handler.store(true, ordering: .releasing)
          return promise
        }
      }
      when(resolved: all).done { results in log("\(results.count { $0.isFulfilled })") }
    }
  }

  @Test("none of 2,000 promises that handlers on queues return, and that fail at once, is reported")
  func failing() async throws {
    try await program(logs: ["2000"]) { loop, log in
      let executor = loop.executor
      when(
        resolved: (0..<2000).map { number in
          Promise.value(number).then(on: Self.queue) { _ in
            let (promise, seal) = Promise<Int>.pending()
            try executor.execute { _ in seal.reject(Boom()) }
            return promise
          }
        }
      ).done { results in log("\(results.count { !$0.isFulfilled })") }
    }
  }

  @Test func `a handler of the main actor can't chain promises of a loop on another thread`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      DispatchQueue.global().async {
        EventLoop.runCallbacks { (loop: EventLoop) throws(Never) -> Void in
          Promise.value(1).done(on: MainQueue.main) { number in
            _ = Promise.value(number).done { _ in }
          }.cauterize()
        }
      }
      while true { try await Task.sleep(for: .seconds(1)) }
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("this thread has none"))
  }

  #if DEBUG
  @Test("a handler on a queue that chains to a promise of the loop stops the program in debug builds")
  func foreignPromise() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      EventLoop.runCallbacks { (loop: EventLoop) throws(Never) -> Void in
        // As in Swift 5, which doesn't check what a handler captures.
        nonisolated(unsafe) let promise = Promise.value(1)
        Promise.value(1).done(on: .global()) { _ in _ = promise.done { _ in } }.cauterize()
      }
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("was made before that handler"))
  }
  #endif
}
