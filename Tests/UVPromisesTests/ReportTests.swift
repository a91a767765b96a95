import Testing
import UV
import UVPromises
import UVTestSupport

/// Unhandled rejections and lost promises are reported, and nothing else.
@Suite struct ReportTests {
  private func rejections(_ body: @escaping @Sendable (EventLoop, Log<String>) throws -> Void) async throws
    -> [String]
  {
    let (log, reports) = try await programWithReports(body)
    #expect(log.isEmpty && reports.events.values.isEmpty)
    return reports.rejections.values.map { "\($0.error)" }
  }

  @Test func aRejectionWithoutHandler() async throws {
    let seen = try await rejections { loop, _ in
      _ = Promise<Int>(error: Boom(number: 1))
      _ = Promise.value(1).map { _ -> Int in throw Boom(number: 2) }
      _ = loop.failingLater(Boom(number: 3)).map { $0 }.done { _ in }
      let (promise, seal) = Promise<Int>.pending()
      seal.reject(Boom(number: 4))
      _ = promise
    }
    #expect(seen.sorted() == (1...4).map { "Boom(number: \($0))" })
  }

  @Test func `A promise that is dropped outside the turns of its loop is reported at once`() async throws {
    let reports = Reports()
    try await withThread {
      reports.install()
      let loop = try EventLoop()
      defer { loop.shutdown() }
      _ = Promise<Int>.pending()
      #expect(reports.events.values.map(\.description) == ["pendingPromiseDeallocated"])
      _ = Guarantee<Int>.pending()
      #expect(reports.events.values.count == 2)
      let (promise, seal) = Promise<Int>.pending()
      seal.fulfill(1)
      #expect(promise.value == 1)
      // Kept, it keeps the loop running until it is resolved.
      let (other, resolver) = Promise<Int>.pending()
      loop.queueMicrotask { resolver.fulfill(2) }
      _ = try loop.runNoWait()
      #expect(other.value == 2 && reports.events.values.count == 2)
      // A turn is looked through when it ends.
      loop.queueMicrotask {
        _ = Promise<Int>.pending()
        #expect(reports.events.values.count == 2)
      }
      _ = try loop.runNoWait()
      #expect(reports.events.values.count == 3 && loop.statistics.isIdle)
    }
  }

  @Test func eachBranchIsOnItsOwn() async throws {
    let seen = try await rejections { loop, _ in
      let promise = loop.failingLater()
      promise.catch { _ in }
      _ = promise.map { $0 }
    }
    #expect(seen == ["Boom(number: 0)"])
  }

  @Test func aHandlerBeforeTheEndOfTheTurnIsInTime() async throws {
    let seen = try await rejections { loop, _ in
      let promise = Promise<Int>(error: Boom())
      loop.queueMicrotask { loop.queueMicrotask { promise.catch { _ in } } }
    }
    #expect(seen.isEmpty)
  }

  @Test func aHandlerInALaterTurnIsNot() async throws {
    let seen = try await rejections { _, _ in
      let promise = Promise<Int>(error: Boom())
      after(.milliseconds(1)).done { promise.catch { _ in } }
    }
    #expect(seen == ["Boom(number: 0)"])
  }

  @Test func whoHasSeenTheErrorHasHandledIt() async throws {
    let seen = try await rejections { _, _ in
      let promise = Promise<Int>(error: Boom())
      #expect(promise.error is Boom)
    }
    #expect(seen.isEmpty)
  }

  @Test func partsOfCombinationsAreHandled() async throws {
    let seen = try await rejections { loop, _ in
      when(fulfilled: [loop.failingLater(), loop.failingLater(), loop.failingLater(milliseconds: 3)]).catch {
        _ in
      }
      race([loop.failingLater(), loop.failingLater()]).catch { _ in }
      when(resolved: [loop.failingLater()]).done { _ in }
      when(fulfilled: [Promise<Int>(error: Boom()), Promise<Int>(error: Boom())]).catch { _ in }
    }
    #expect(seen.isEmpty)
  }

  @Test func cancellationsAreNothingToReport() async throws {
    let seen = try await rejections { loop, _ in
      let promise = loop.sleep(for: .untilCancelled).promise().map { 1 }
      promise.cancel()
    }
    #expect(seen.isEmpty)
  }

  @Test func outsideALoopTheEndOfThePromiseIsTheLastChance() async throws {
    let reports = Reports()
    try await withThread {
      reports.install()
      do { _ = Promise<Int>(error: Boom(number: 1)) }
      let handled = Promise<Int>(error: Boom(number: 2))
      _ = handled.error
    }
    #expect(reports.rejections.values.map { "\($0.error)" } == ["Boom(number: 1)"])
  }

  @Test func theReportNamesThePlace() async throws {
    let (_, reports) = try await programWithReports { _, _ in
      _ = Promise.value(1).done { _ in throw Boom() }
    }
    let report = try #require(reports.rejections.values.first)
    #if DEBUG
    #expect(report.site?.file == "UVPromisesTests/ReportTests.swift")
    #expect(report.description.contains("Boom(number: 0)"))
    #else
    #expect(report.site == nil)
    #endif
  }

  @Test func aLostPromiseIsReportedOnce() async throws {
    let (_, reports) = try await programWithReports { _, _ in
      let (promise, _) = Promise<Int>.pending()
      promise.map { $0 }.map { $0 }.done { _ in }.cauterize()
      promise.done { _ in }.cauterize()
    }
    #expect(reports.events.values.count == 1 && reports.rejections.values.isEmpty)
  }

  @Test func aTaskThatWaitsForALostPromiseIsTold() async throws {
    let log = Log<String>()
    let reports = Reports()
    try await withLoop { loop in
      reports.install()
      var pending: (promise: Promise<Int>, resolver: Resolver<Int>)? = Promise<Int>.pending()
      let chain = pending!.promise.map { $0 }
      let task = loop.spawn { () async -> Void in
        do { _ = try await chain.async() } catch { log("\(error)") }
      }
      try await loop.sleep(for: .milliseconds(1)).value
      pending = nil
      await task.value
      do { _ = try await chain.async() } catch { log("\(error)") }
    }
    let message = "the promise was deallocated before it was resolved"
    #expect(log.values == [message, message])
    #expect(reports.events.values.count == 1)
  }
}
