import BenchHarness
import CBenchSupport
import UV
import UVFutures
import UVPromises

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
