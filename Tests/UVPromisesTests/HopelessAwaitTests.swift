import Testing
import UV
import UVPromises
import UVTestSupport

/// Tasks that await a guarantee: the end of the loop, and a guarantee that can't be resolved any more.
@Suite struct HopelessAwaitTests {
  /// When the task is cancelled that waits.
  enum Moment: CaseIterable, Sendable { case before, meanwhile, byTheLoop }

  @Test("A loop that is stopped doesn't wait for a task that awaits a guarantee", arguments: Moment.allCases)
  func stopped(moment: Moment) async throws {
    try await withThread {
      let value = EventLoop.runCallbacks { loop in
        let (guarantee, resolve) = Guarantee<Int>.pending()
        let task = loop.spawn { await guarantee.async() }
        if moment == .before { task.cancel() }
        loop.sleep(for: .milliseconds(1)) { _ in
          if moment == .meanwhile { task.cancel() }
          loop.queueMicrotask {
            loop.stop()
            withExtendedLifetime(resolve) {}
          }
        }
        return task
      }
      #expect(value.resultIfFinished == nil)
    }
  }

  @Test func `A task that awaits a guarantee on a stopped loop goes on if the guarantee is resolved in time`()
    async throws
  {
    try await withThread {
      let task = EventLoop.runCallbacks { loop in
        let (guarantee, resolve) = Guarantee<Int>.pending()
        let task = loop.spawn { await guarantee.async() }
        loop.sleep(for: .milliseconds(1)) { _ in
          resolve(42)
          loop.stop()
        }
        return task
      }
      #expect(task.resultIfFinished == .success(42))
    }
  }

  /// Why a guarantee can't be resolved any more.
  enum Loss: String, CaseIterable, Sendable, Codable {
    case released, releasedLater, cancelled, cancelledBefore
  }

  private static func guarantee(_ loss: Loss, _ loop: EventLoop) -> Guarantee<Void> {
    switch loss {
    case .released: return Guarantee { (_: @escaping (()) -> Void) in }
    case .releasedLater:
      return Guarantee { (resolve: @escaping (()) -> Void) in
        loop.sleep(for: .milliseconds(2)) { _ in withExtendedLifetime(resolve) {} }
      }
    case .cancelled, .cancelledBefore:
      let pause = after(.seconds(1000))
      if loss == .cancelledBefore {
        pause.cancel()
      } else {
        loop.sleep(for: .milliseconds(2)) { _ in pause.cancel() }
      }
      return pause
    }
  }

  @Test(
    "A task that awaits a guarantee which can't be resolved stops the program with a sentence",
    arguments: Loss.allCases)
  func stopsTheProgram(loss: Loss) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [loss = loss as Loss] in
      EventLoop.run { loop in await Self.guarantee(loss, loop).async() }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("a task awaits a guarantee that can't be resolved any more"), "\(text)")
  }

  @Test(
    "A cancelled task whose guarantee can't be resolved any more doesn't keep the loop",
    arguments: Loss.allCases)
  func cancelledTask(loss: Loss) async throws {
    try await withThread {
      let task = EventLoop.runCallbacks { loop in
        conf.logHandler = { _ in }
        let task = loop.spawn { await Self.guarantee(loss, loop).async() }
        loop.sleep(for: .milliseconds(1)) { _ in task.cancel() }
        if loss == .released || loss == .cancelledBefore { task.cancel() }
        return task
      }
      #expect(task.resultIfFinished == nil)
    }
  }

  @Test func `A promise of a lost guarantee throws abandoned`() async throws {
    for loss in Loss.allCases {
      try await withLoop { loop in
        conf.logHandler = { _ in }
        do {
          try await Promise(Self.guarantee(loss, loop)).async()
          Issue.record("it has a value")
        } catch PMKError.abandoned {}
      }
    }
  }

  @Test func `A cancelled guarantee among others is lost to what gathers them`() async throws {
    try await withLoop { loop in
      let (pause, other) = (after(.seconds(1000)), after(.milliseconds(1)))
      let both = Promise(when(guarantees: pause, other))
      loop.sleep(for: .milliseconds(2)) { _ in pause.cancel() }
      do {
        try await both.async()
        Issue.record("it has a value")
      } catch PMKError.abandoned {}
    }
  }
}
