import CAllocations

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

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

/// What the process has used of the processors, in nanoseconds.
func processorTime() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Bytes of memory that the process has at the moment.
func residentMemory() -> Int {
  guard let file = fopen("/proc/self/statm", "r") else { return 0 }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 128)
  fgets(&line, 128, file)
  let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  let columns = text.split(separator: " ")
  return columns.count > 1 ? (Int(columns[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) : 0
}
