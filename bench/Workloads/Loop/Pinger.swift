import BenchKit
import CBenchSupport

/// The other thread of `wakeup`: it wakes the loop, waits for the answer, and does so
/// again, with one wake-up under way.
// Sendable unchecked: the C side synchronises what its two threads share.
public final class Pinger: @unchecked Sendable {
  /// What a wake-up was for.
  public enum Answer: Sendable {
    /// It was answered; there is more to come.
    case more
    /// The thread has finished: join it, then release what it woke the loop with.
    case finished
    /// Nobody sent it.
    case spurious
  }

  private final class Wake {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private let pointer: OpaquePointer
  private let wake: Unmanaged<Wake>

  /// Starts the thread for a task. `wake` is called on it, once for each operation and
  /// once at the end; it must have the loop call `answer`.
  public init(_ task: LoopTask, wake body: @escaping @Sendable () -> Void) {
    wake = Unmanaged.passRetained(Wake(body))
    let pointer = bench_pinger_start(
      UInt64(task.operations), task.latencies.pointer, task.otherCPU,
      { Unmanaged<Wake>.fromOpaque($0!).takeUnretainedValue().body() }, wake.toOpaque())
    guard let pointer else { preconditionFailure("cannot start a thread") }
    self.pointer = pointer
  }

  /// To be called on the loop when it was woken.
  @inline(__always)
  public func answer() -> Answer {
    switch bench_pinger_answer(pointer) {
    case 1: .more
    case 0: .finished
    default: .spurious
    }
  }

  /// Waits for the end of the thread, after `finished`; to be called once.
  public func join() -> LoopReport {
    var answered: UInt64 = 0
    let checksum = bench_pinger_join(pointer, &answered)
    wake.release()
    return LoopReport(operations: Int(answered), checksum: checksum)
  }
}
