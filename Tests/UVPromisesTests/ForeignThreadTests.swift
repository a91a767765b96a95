import Dispatch
import Testing
import UV
import UVPromises
import UVTestSupport

/// Promises that are made on a loop and resolved, rejected or dropped on other threads.
@Suite struct ForeignThreadTests {
  private static let queue = DispatchQueue(label: "foreign", attributes: .concurrent)

  @Test("2,000 promises that another queue resolves are all heard, on the loop, which waits for them")
  func resolvedElsewhere() async throws {
    try await program(logs: ["true"]) { loop, log in
      let executor = loop.executor
      let all = (0..<2000).map { number in
        Promise<Int> { seal in Self.queue.async { seal.fulfill(number) } }.map { number in
          executor.isOnLoop ? number : -1
        }
      }
      when(fulfilled: all).done { log("\($0 == Array(0..<2000))") }.cauterize()
    }
  }

  @Test func `every way to resolve works on another thread`() async throws {
    try await program(logsInAnyOrder: ["a 1", "b Boom(number: 0)", "c 2", "d", "e 3", "f x", "g 4"]) {
      loop, log in
      let (pending, seal) = Promise<Int>.pending()
      Self.queue.async { seal.resolve(1, nil) }
      pending.done { log("a \($0)") }.cauterize()
      Promise<Int> { seal in Self.queue.async { seal.reject(Boom()) } }.catch { log("b \($0)") }
      Promise<Int> { seal in Self.queue.async { seal.resolve(.fulfilled(2)) } }.done { log("c \($0)") }
        .cauterize()
      Promise<Void> { seal in Self.queue.async(execute: seal.fulfill) }.done { log("d") }.cauterize()
      Guarantee<Int> { seal in Self.queue.async { seal(3) } }.done { log("e \($0)") }
      let (guarantee, resolve) = Guarantee<String>.pending()
      Self.queue.async { resolve("x") }
      guarantee.done { log("f \($0)") }
      let (third, fulfill, _) = Promise<Int>.withResolvers()
      Self.queue.async { fulfill(4) }
      third.done { log("g \($0)") }.cauterize()
    }
  }

  @Test("two threads that resolve the same promise, and the loop's own: one of them wins, once")
  func doubleResolution() async throws {
    try await program(logs: ["200"]) { _, log in
      let all = (0..<200).map { _ in
        let (promise, seal) = Promise<Int>.pending()
        Self.queue.async { seal.fulfill(1) }
        Self.queue.async { seal.reject(Boom()) }
        after(.zero).done { seal.fulfill(3) }
        return promise
      }
      when(resolved: all).done { log("\($0.count)") }
    }
  }

  @Test("fulfill and reject return whether the promise took it, and isPending whether it would")
  func taken() async throws {
    let log = try await program { loop, log in
      let (promise, seal) = Promise<Int>.pending()
      log("\(seal.isPending) \(seal.fulfill(1)) \(seal.isPending) \(seal.fulfill(2)) \(seal.reject(Boom()))")
      promise.done { log("done \($0)") }.cauterize()

      let (cancelled, late) = Promise<Int>.pending()
      late.onCancel { log("given back") }
      cancelled.cancel()
      log("\(late.isPending) \(late.fulfill(3))")
      cancelled.catch(policy: .allErrors) { _ in log("catch") }

      let (other, elsewhere) = Promise<Void>.pending()
      let executor = loop.executor
      Self.queue.async {
        let answers = [elsewhere.isPending, elsewhere.fulfill(), elsewhere.isPending, elsewhere.fulfill()]
        try? executor.execute { _ in log("\(answers)") }
      }
      other.done { log("done elsewhere") }.cauterize()
    }
    #expect(
      Set(log) == [
        "true true false false false", "done 1", "given back", "false false", "catch",
        "[true, true, false, false]", "done elsewhere",
      ])
    #expect(log.count == 7)
  }

  @Test("a promise whose loop ends while threads resolve it is heard, or reported as lost: each of them once")
  func resolvedWhileTheLoopStops() async throws {
    for _ in 0..<20 {
      let count = 300
      let (log, reports) = try await programWithReports { loop, log in
        let seals = (0..<count).map { number in
          let (promise, seal) = Promise<Int>.pending()
          promise.done { log("done \($0)") }.catch(policy: .allErrors) { log("catch \($0)") }
          return seal
        }
        for thread in 0..<3 {
          Self.queue.async {
            for number in stride(from: thread, to: count, by: 3) {
              seals[number].fulfill(number)
            }
          }
        }
        after(.milliseconds(1)).done { loop.stop() }
      }
      // No handler is called twice or with an error, and what no handler got is reported.
      #expect(Set(log).count == log.count)
      #expect(log.allSatisfy { $0.hasPrefix("done ") })
      #expect(log.count + reports.events.values.count == count)
      #expect(reports.rejections.values.isEmpty)
    }
  }

  @Test("a resolver that is dropped on another thread lets the loop end, and the loss is reported")
  func droppedElsewhere() async throws {
    let (log, reports) = try await programWithReports { _, log in
      for _ in 0..<100 {
        Promise<Int> { seal in Self.queue.async { _ = seal } }.map { $0 }.ensure { log("never") }.cauterize()
      }
    }
    #expect(log.isEmpty && reports.events.values.count == 100)
  }

  @Test("a task that waits for a promise whose resolver is dropped on another thread is notified")
  func awaitedAndDropped() async throws {
    let log = Log<String>()
    let reports = Reports()
    try await withLoop { _ in
      reports.install()
      let promise = Promise<Int> { seal in Self.queue.async { _ = seal } }
      do { _ = try await promise.async() } catch { log("\(error)") }
      #expect(promise.isPending)
    }
    #expect(log.values == ["the promise was deallocated before it was resolved"])
    #expect(reports.events.values.count == 1)
  }

  @Test("a promise that is kept, but that nobody can resolve, does not keep the loop running")
  func keptWithoutResolver() async throws {
    let (_, reports) = try await programWithReports { loop, _ in
      let promise = Promise<Int>.pending().promise
      let chain = promise.map { _ in _ = promise }
      loop.sleep(for: .milliseconds(1)) { _ in _ = chain }
    }
    #expect(reports.events.values.count == 1)
  }

  @Test("a resolver that is kept does not keep the loop running for another promise of its turn")
  func keptBesideAnother() async throws {
    let kept = Log<Resolver<Int>>()
    let (log, reports) = try await programWithReports { _, log in
      let (first, seal) = Promise<Int>.pending()
      kept.append(seal)
      seal.fulfill(1)
      let (second, _) = Promise<Int>.pending()
      second.map { $0 }.done { _ in log("\(second)") }.cauterize()
      first.done { log("\($0)") }.cauterize()
    }
    #expect(log == ["1"] && reports.events.values.count == 1)
    #expect(kept.values.count == 1)
  }

  @Test("the resolver of a promise that was resolved does not resolve one that was made later")
  func usedResolver() async throws {
    try await program(logs: ["1", "4"]) { loop, log in
      let (first, seal) = Promise<Int>.pending()
      seal.fulfill(1)
      let (second, later) = Promise<Int>.pending()
      seal.fulfill(2)
      Self.queue.async { seal.fulfill(3) }
      second.done { log("\($0)") }.cauterize()
      first.done { log("\($0)") }.cauterize()
      loop.sleep(for: .milliseconds(4)) { _ in later.fulfill(4) }
    }
  }

  @Test("the resolver of a promise that another thread resolved does not resolve one that was made later")
  func resolverUsedElsewhere() async throws {
    try await program(logs: ["500"]) { _, log in
      func resolve(_ number: Int, keeping earlier: Resolver<Int>?) {
        guard number < 500 else { return log("\(number)") }
        let (promise, seal) = Promise<Int>.pending()
        // Half of them are let go, so that what carried them is used again.
        let kept = number % 2 == 0 ? seal : nil
        Self.queue.async {
          earlier?.fulfill(-1)
          seal.fulfill(number)
        }
        promise.done { value in
          kept?.fulfill(-1)
          if value == number { resolve(number + 1, keeping: kept) } else { log("\(value), not \(number)") }
        }.cauterize()
      }
      resolve(0, keeping: nil)
    }
  }

  @Test("5,000 promises of one turn are resolved in it, later on, elsewhere and not at all")
  func manyInOneTurn() async throws {
    let (log, reports) = try await programWithReports { loop, log in
      let all = (0..<5000).map { number in
        Promise<Int> { seal in
          switch number % 4 {
          case 0: seal.fulfill(number)
          case 1: loop.sleep(for: .milliseconds(1)) { _ in seal.fulfill(number) }
          case 2: Self.queue.async { seal.fulfill(number) }
          default: Self.queue.async { _ = seal }
          }
        }
      }
      let resolved = all.indices.filter { $0 % 4 < 3 }
      when(fulfilled: resolved.map { all[$0] }).done { log("\($0 == resolved)") }.cauterize()
    }
    #expect(log == ["true"] && reports.events.values.count == 1250)
  }

  @Test func `the last copy of a promise may go on another thread, resolved or not`() async throws {
    let (log, reports) = try await programWithReports { loop, log in
      for number in 0..<100 {
        let (promise, seal) = Promise<Int>.pending()
        let chain = promise.map { $0 + 1 }
        chain.done { _ in log("done") }.cauterizeSilently()
        nonisolated(unsafe) let copies = (promise, chain)
        Self.queue.async {
          if number % 2 == 0 { seal.fulfill(number) }
          _ = copies
        }
      }
    }
    #expect(log.count == 50 && reports.events.values.count == 50)
  }

  @Test func `chains and races are cancelled while their resolvers go on other threads`() async throws {
    let (_, reports) = try await programWithReports { loop, log in
      for number in 0..<300 {
        let promises = (0..<3).map { _ in
          Promise<Int> { seal in Self.queue.async { _ = seal } }.map { $0 }
        }
        let direct = (0..<3).map { _ in Promise<Int> { seal in Self.queue.async { _ = seal } } }
        let chain = race(promises + direct + [loop.later(1)], cancellingRest: true).map { $0 }
        if number % 2 == 0 { loop.queueMicrotask { chain.cancel() } }
        chain.cauterizeSilently()
      }
    }
    #expect(reports.rejections.values.isEmpty)
  }

  @Test("a chain that is cancelled on its loop is not resolved by a thread that comes later")
  func cancelledThenResolved() async throws {
    try await program(logs: ["cancelled", "the promise was cancelled"]) { loop, log in
      let entered = DispatchSemaphore(value: 0)
      let chain = Promise<Int> { seal in
        seal.onCancel { log("cancelled") }
        Self.queue.async {
          entered.wait()
          seal.fulfill(1)
        }
      }.map { $0 + 1 }
      chain.catch(policy: .allErrors) { log("\($0)") }
      chain.cancel()
      entered.signal()
    }
  }

  @Test("what is resolved after the loop has ended was reported when it ended, and does nothing")
  func afterTheEnd() async throws {
    let reports = Reports()
    let late = DispatchSemaphore(value: 0)
    let done = DispatchSemaphore(value: 0)
    try await withThread {
      reports.install()
      EventLoop.runCallbacks { (loop: EventLoop) throws(Never) in
        Promise<Int> { seal in
          Self.queue.async {
            late.wait()
            seal.fulfill(1)
            done.signal()
          }
        }.done { _ in Issue.record("resolved") }.cauterize()
        loop.sleep(for: .milliseconds(1)) { _ in loop.stop() }
      }
      late.signal()
      done.wait()
    }
    #expect(reports.events.values.count == 1)
  }

  @Test("a promise that was made without a loop stops the program where another thread resolves it")
  func withoutLoop() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (promise, seal) = Promise<Int>.pending()
      let done = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        seal.fulfill(1)
        done.signal()
      }
      done.wait()
      _ = promise
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("make it inside EventLoop.run"))
  }
}
