import CAllocations
import Glibc

/// What a workload took, per operation.
struct Measurement {
  var nanoseconds = Double.infinity
  var allocations = Double.infinity

  /// Keeps the better of this and one more run of `count` operations: what is above the best is the machine's
  /// doing. The time is the processor's, of all threads together, so that other programs do not count.
  mutating func add(_ count: Int, _ body: (Int) -> Void) {
    let allocationsBefore = allocations_made()
    let before = processorTime()
    body(count)
    let after = processorTime()
    nanoseconds = min(nanoseconds, Double(after - before) / Double(count))
    allocations = min(allocations, Double(allocations_made() - allocationsBefore) / Double(count))
  }
}

private func processorTime() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return time.tv_sec * 1_000_000_000 + time.tv_nsec
}
