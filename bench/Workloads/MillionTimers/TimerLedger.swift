import BenchHarness
import CBenchSupport

// Sendable unchecked: a run writes on one thread, and it is checked when the run is over.
/// What a row writes down of its timers, and the check of it afterwards.
struct TimerLedger: @unchecked Sendable {
  /// The ledger, for code in C.
  let pointer: UnsafeMutablePointer<bench_timer_ledger>
  private let spread: UInt64
  private let seed: UInt64

  init(operations: Int, latencies: LatencyRecorder, spread: Int, seed: UInt64) {
    guard let pointer = bench_timer_ledger_create(operations, latencies.pointer) else {
      preconditionFailure("out of memory")
    }
    self.pointer = pointer
    self.spread = UInt64(spread)
    self.seed = seed
  }

  /// The delay of a timer, in milliseconds.
  @inline(__always)
  func delay(_ index: Int) -> UInt64 { bench_timer_delay_ms(UInt64(index), spread, seed) }

  /// To be called when a timer starts. `now` is the loop's time in milliseconds, on
  /// the scale of the monotonic clock. Timers start in the order of their index.
  @inline(__always)
  func started(_ index: Int, now: UInt64, delay: UInt64) {
    bench_timer_started(pointer, UInt32(truncatingIfNeeded: index), now, delay)
  }

  /// To be called when a timer fires; returns true for the last of them.
  @inline(__always)
  @discardableResult
  func fired(_ index: Int, now: UInt64) -> Bool {
    bench_timer_fired(pointer, UInt32(truncatingIfNeeded: index), now)
    return pointer.pointee.fired == pointer.pointee.capacity
  }

  /// How many have fired.
  var firedCount: Int { pointer.pointee.fired }

  /// Throws unless each fired once, none early, and in order.
  func check() throws -> UInt64 {
    var checksum: UInt64 = 0
    if let wrong = bench_timer_ledger_check(pointer, &checksum) { throw WrongWork(String(cString: wrong)) }
    return checksum
  }

  /// Releases the memory.
  func destroy() { bench_timer_ledger_destroy(pointer) }
}
