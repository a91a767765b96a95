import BenchHarness
import UV

extension Counter {
  /// What a connection that never stops asking has sent.
  static let greedyBytes = Counter(rawValue: "greedy_bytes")

  /// Bytes that the allocator has not got back when they have closed.
  static let keptBytes = Counter(rawValue: "kept_bytes")
  /// Bytes of memory that the system hasn't.
  static let keptResidentBytes = Counter(rawValue: "kept_resident_bytes")

  /// What a library does more or less of from one run to the next, if what it finds to do depends on timing.
  static let ofWork: Set<Counter> = [
    .allocations, .allocatedBytes, .systemCalls, .vainCalls, .waits, .wakeups, .jobs, .jobsFromOtherThreads,
    .jobsRun, .instructions, .greedyBytes, .inTime, .late, .busy,
  ]
}

/// Parts of Swift tasks that reached a loop: what an `await` costs it in wake-ups.
struct JobCount: Hashable, Sendable {
  /// Enqueued on the loop's own thread.
  var fromLoop = 0
  /// Enqueued by other threads.
  var fromOtherThreads = 0

  func since(_ start: JobCount) -> JobCount {
    JobCount(fromLoop: fromLoop - start.fromLoop, fromOtherThreads: fromOtherThreads - start.fromOtherThreads)
  }

  mutating func add(_ other: JobCount) {
    fromLoop += other.fromLoop
    fromOtherThreads += other.fromOtherThreads
  }

  /// As counters of a run. A row that served `messages` in all, of which `operations` lie
  /// in the window, reports their share.
  func counters(of operations: Int = 1, among messages: Int = 1) -> [Counter: UInt64] {
    func share(_ count: Int) -> UInt64 {
      UInt64((Double(count) * Double(operations) / Double(messages)).rounded())
    }
    return [.jobs: share(fromLoop), .jobsFromOtherThreads: share(fromOtherThreads)]
  }
}

extension JobCount {
  /// Those that `loop` has had so far.
  init(_ loop: EventLoop) {
    let activity = loop.statistics
    (fromLoop, fromOtherThreads) = (activity.jobsFromLoop, activity.jobsFromOtherThreads)
  }
}
