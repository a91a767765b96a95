import Testing
import UV
import UVTestSupport

/// A sleep on a loop's clock, in each kind of task, which its task's cancellation reaches before it, with it, or while it lasts.
@Suite struct ClockSleepTests {
  /// The task that sleeps.
  enum Place: CaseIterable, Sendable { case detached, onTheLoop, preferringTheLoop, onAnotherLoop }

  enum Moment: CaseIterable, Sendable { case before, atOnce, whileItLasts }

  private static func cancelCurrentTask() { withUnsafeCurrentTask { $0!.cancel() } }

  /// How a sleep has ended.
  private static func sleep(
    _ clock: LoopClock, _ deadline: LoopClock.Instant, cancelsItself: Bool
  ) async -> String {
    if cancelsItself { cancelCurrentTask() }
    do {
      try await clock.sleep(until: deadline)
      return "slept"
    } catch { return "\(type(of: error))" }
  }

  @Test(
    "A sleep of a task that is cancelled ends at once, whatever its deadline", arguments: Place.allCases,
    Moment.allCases)
  func cancelled(place: Place, moment: Moment) async throws {
    // A loop's own task that is cancelled before it runs doesn't begin.
    if moment == .atOnce, place == .onTheLoop || place == .onAnotherLoop { return }
    try await withLoop { loop in
      let group = try EventLoopGroup(count: 1)
      let clock = loop.clock
      let long = LoopClock.Instant.now.advanced(by: .untilCancelled)
      let past = LoopClock.Instant(nanoseconds: 1)
      // What has begun to last isn't over by its deadline.
      for deadline in moment == .before ? [long, past, .now] : [long] {
        let log = Log<String>()
        let sleep: @Sendable () async -> Void = {
          log.append(await Self.sleep(clock, deadline, cancelsItself: moment == .before))
        }
        let cancel: () -> Void
        switch place {
        case .detached:
          let task = Task.detached { await sleep() }
          cancel = task.cancel
        case .onTheLoop:
          let task = loop.spawn { await sleep() }
          cancel = task.cancel
        case .preferringTheLoop:
          let task = Task(executorPreference: loop.executor) { await sleep() }
          cancel = task.cancel
        case .onAnotherLoop:
          let executor = group.executors[0]
          let task = Task.detached { try await executor.run { _ in await sleep() } }
          cancel = task.cancel
        }
        if moment == .whileItLasts { try await loop.until { loop.statistics.timers > 0 } }
        if moment != .before { cancel() }
        try await loop.until { !log.values.isEmpty }
        #expect(log.values == ["CancellationError"])
      }
      #expect(loop.statistics.timers == 0)
      _ = await group.shutdownGracefully(within: .zero)
    }
  }
}
