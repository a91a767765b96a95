import BenchHarness
import CBenchSupport
import UV
import UVFutures
import UVPromises

extension Workloads {
  /// One operation: start a timer of 30 s and cancel it, beside `standing` others of 20 to 60 s. Under way: 1. Checked: that the error is a
  /// cancellation's; that only those that stand are left.
  ///
  /// In C one timer that is started and stopped again and again; nobody is notified. A callback and a promise are notified of the
  /// cancellation. A subscriber isn't, so the future row goes on in a microtask. The row in async/await starts a task for each timer, lets
  /// it begin, and cancels it. 1024 operations are done in a turn in C, as microtasks are.
  static let timerCancel = LoopWorkload(
    name: "timer-cancel", summary: "start a timer of 30 s and cancel it",
    note: "async starts a task for each timer, which is what it has to cancel",
    revision: 2,
    parameters: [
      Parameter("standing", 0, 10_000, in: 0...1_000_000, help: "other timers that run meanwhile")
    ],
    check: .counted,
    rows: [(.c, CRow.loop("timer-cancel"))] + CancelRows<TimerCancel>.all,
    targets: [
      Target(
        "timer-cancel", ["standing": 0], .nanoseconds, bounds: [.callback: 100]),
      Target(
        "timer-cancel", ["standing": 10_000], .nanoseconds, bounds: [.callback: 100]),
    ])
}

/// `timer-cancel`: start a timer and cancel it, beside others that stand.
struct TimerCancel: PendingOperation {
  private let loop: EventLoop
  private let length: Duration
  private let standing: [PendingRequest]

  init(_ task: LoopTask, on loop: EventLoop) {
    self.loop = loop
    length = task.timeout
    standing = (0..<UInt64(task.parameters["standing"])).map { index in
      loop.sleep(for: .milliseconds(bench_standing_delay_ms(index, task.seed))) { _ in }
    }
  }

  func start(_ operations: LoopOperations) -> PendingRequest {
    loop.sleep(for: length) { operations.endCancelled($0) }
  }

  func promise() -> Promise<Void> { loop.sleep(for: length).promise() }

  func publisher() -> RequestPublisher<Void> { loop.sleep(for: length).publisher() }

  func spawn() -> PendingTask { loop.spawn { () throws(UVError) in try await loop.sleep(for: length).value } }

  func end() { for timer in standing { timer.cancel() } }
}

extension LoopTask {
  /// How long a timer is, or a limit, that isn't reached.
  var timeout: Duration { .milliseconds(Int(BENCH_TIMEOUT_MS)) }
}
