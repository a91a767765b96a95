import BenchHarness
import CBenchSupport

// Sendable unchecked: a run records on one thread, and it is read when the run is over.
/// Takes the latencies of a run. Every style records through the same few
/// instructions, which allocate nothing.
struct LatencyRecorder: @unchecked Sendable {
  /// The counts, for code in C.
  let pointer: UnsafeMutablePointer<bench_latency>

  /// An empty recorder; `destroy` releases it.
  init() {
    guard let pointer = bench_latency_create() else { preconditionFailure("out of memory") }
    self.pointer = pointer
  }

  /// Adds a latency.
  @inline(__always)
  func record(_ nanoseconds: UInt64) { bench_latency_record(pointer, nanoseconds) }

  /// Adds the time since `start`, which came from `bench_now_ns`.
  @inline(__always)
  func record(since start: UInt64) { bench_latency_record(pointer, bench_now_ns() &- start) }

  /// Forgets everything.
  func reset() { bench_latency_reset(pointer) }

  /// Releases the memory.
  func destroy() { bench_latency_destroy(pointer) }

  /// What was recorded.
  var histogram: LatencyHistogram {
    var histogram = LatencyHistogram()
    guard pointer.pointee.total > 0 else { return histogram }
    let last = bench_latency_index(pointer.pointee.max)
    for index in 0..<UInt32(BENCH_LATENCY_COUNTS) {
      // The largest latency is kept exactly.
      let count = bench_latency_count(pointer, index) - (index == last ? 1 : 0)
      if count > 0 { histogram.record(bench_latency_value(index), count: count) }
    }
    histogram.record(pointer.pointee.max)
    return histogram
  }
}
