import BenchHarness
import CBenchSupport

// Sendable unchecked: the C side synchronises what its two threads share; all else here is
// touched on the loop's thread only.
/// The other thread of `wakeup`: it wakes the loop, waits for the answer, and does so
/// again, with one wake-up under way.
final class Pinger: @unchecked Sendable {
  private let task: LoopTask
  private let wake: @Sendable (Pinger) -> Void
  private var pointer: OpaquePointer?
  /// What was done, once the thread has finished.
  private(set) var report: LoopReport?

  /// Opens the window and starts the thread. `wake` is called there, once for each
  /// operation and once at the end; it must have the loop call `answer`. To be made on the
  /// loop's thread.
  init(_ task: LoopTask, wake: @escaping @Sendable (Pinger) -> Void) {
    (self.task, self.wake) = (task, wake)
    task.meter.open()
    // Balanced when the thread has ended.
    let context = Unmanaged.passRetained(self).toOpaque()
    pointer = bench_pinger_start(
      UInt64(task.operations), task.latencies.pointer, task.otherCPU,
      { context in
        // Sound: retained until the thread has ended.
        Unmanaged<Pinger>.fromOpaque(context!)._withUnsafeGuaranteedRef { $0.wake($0) }
      }, context)
    guard pointer != nil else { preconditionFailure("cannot start a thread") }
  }

  /// To be called on the loop when it was woken. Returns false when the thread has
  /// finished: the window is closed, and `report` is there.
  @inline(__always)
  func answer() -> Bool {
    if bench_pinger_answer(pointer) != 0 { return true }
    finish()
    return false
  }

  private func finish() {
    task.meter.close()
    var answered: UInt64 = 0
    let checksum = bench_pinger_join(pointer, &answered)
    report = LoopReport(operations: Int(answered), checksum: checksum)
    Unmanaged.passUnretained(self).release()
  }
}
