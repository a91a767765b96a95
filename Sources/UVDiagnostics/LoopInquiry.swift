#if HTTP || Everything
import StallWatch
import Synchronization
import UV
import UVStalls

/// A loop's answer.
struct LoopAnswer: Sendable {
  let reading: LoopReading
  let snapshot: LoopSnapshot
  let census: LoopCensus

  init(_ loop: EventLoop, limit: Int) {
    reading = LoopReading(loop)
    snapshot = loop.snapshot(limit: limit)
    census = loop.census()
  }
}

/// Asks one loop for another. A loop that doesn't answer has one question waiting for it, not one for each
/// request. On the asking loop's thread.
final class LoopInquiry {
  private let executor: LoopExecutor
  private let limit: Int
  private let loop: EventLoop
  /// When the question was sent that the loop hasn't answered yet, and who waits for the answer.
  private var asked: LoopClock.Instant?
  private var waiters: [ObjectIdentifier: () -> Void] = [:]
  private var last: LoopAnswer?
  private var hasEnded = false
  private let stacks = StackTexts()

  init(_ executor: LoopExecutor, limit: Int, on loop: EventLoop) {
    (self.executor, self.limit, self.loop) = (executor, limit, loop)
  }

  /// Asks, unless that has been done already, and calls `answered` when there is an answer.
  func ask(_ waiter: ObjectIdentifier, _ answered: @escaping () -> Void) {
    waiters[waiter] = answered
    if asked != nil { return }
    asked = .now
    let limit = limit
    executor.submit(on: loop) { loop throws(UVError) in LoopAnswer(loop, limit: limit) }.start {
      [self] result in
      asked = nil
      switch result {
      case .success(let answer): last = answer
      case .failure(let error): hasEnded = error.code == .loopClosed
      }
      let waiters = waiters.values
      self.waiters = [:]
      for answered in waiters { answered() }
    }
  }

  /// The waiter waits no longer.
  func forget(_ waiter: ObjectIdentifier) { waiters[waiter] = nil }

  var name: String { executor.loopName.withLock { $0 } }

  /// The known facts about the loop now; nil if it has ended.
  ///
  /// - Parameters:
  ///   - waiter: Who has asked. A loop that has answered this one isn't silent because others ask again.
  ///   - name: What the loop is called.
  func view(for waiter: ObjectIdentifier, as name: String) -> LoopView? {
    if hasEnded { return nil }
    let watcher = executor.stallWatcher
    let silence =
      waiters[waiter] == nil ? nil : asked.map { watcher?.turnLength ?? $0.duration(to: .now) }
    let stalls = (watcher?.latestReports ?? []).map { report in
      let isRunning = watcher!.isInTurn(of: report)
      return StallView(
        stall: report.stall, stack: stacks.text(of: report.stall), age: report.age,
        duration: isRunning ? watcher?.turnLength : nil)
    }
    return LoopView(
      id: ObjectIdentifier(executor), name: name, silence: silence, answer: silence == nil ? last : nil,
      stalls: stalls, areStallsWatched: watcher != nil)
  }
}

/// The names of the calls of stalls. They are looked up once, since that takes milliseconds.
final class StackTexts {
  typealias Entry = (function: String?, frames: [String])
  private var known: [Stall: Entry] = [:]

  func text(of stall: Stall) -> Entry {
    if let entry = known[stall] { return entry }
    // No more are shown.
    if known.count >= 64 { known = [:] }
    let frames = stall.frames
    let entry: Entry = (Stall.function(in: frames), frames.map(\.description))
    known[stall] = entry
    return entry
  }
}
#endif
