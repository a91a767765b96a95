import BenchKit
import CBenchHooks

/// What a worker counts beside the time, where it can.
enum Counters {
  static let all: [Meter.Counter] =
    bench_hooks_can_count() == 0
    ? []
    : [
      // The first one read at the opening and the last at the close: a profiler that acts
      // on the mark sees the window.
      Meter.Counter(name: "marks") {
        bench_hooks_mark()
        return 0
      },
      Meter.Counter(name: "allocations") { bench_hooks_allocations() },
      Meter.Counter(name: "allocated_bytes") { bench_hooks_bytes() },
      Meter.Counter(name: "system_calls") { bench_hooks_system_calls() },
      Meter.Counter(name: "vain_calls") { bench_hooks_vain_calls() },
      Meter.Counter(name: "waits") { bench_hooks_waits() },
      Meter.Counter(name: "jobs_run") { bench_hooks_jobs() },
      Meter.Counter(name: "wakeups") { bench_hooks_wakeups() },
    ]
}
