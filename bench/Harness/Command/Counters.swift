import CBenchHooks

/// What a worker counts beside the time, where it can.
enum Counters {
  static let all: [Meter.Reading] =
    bench_hooks_can_count() == 0
    ? []
    : [
      // The first one read at the opening and the last at the close: a profiler that acts
      // on the mark sees the window.
      Meter.Reading(counter: .marks) {
        bench_hooks_mark()
        return 0
      },
      Meter.Reading(counter: .allocations) { bench_hooks_allocations() },
      Meter.Reading(counter: .allocatedBytes) { bench_hooks_bytes() },
      Meter.Reading(counter: .systemCalls) { bench_hooks_system_calls() },
      Meter.Reading(counter: .vainCalls) { bench_hooks_vain_calls() },
      Meter.Reading(counter: .waits) { bench_hooks_waits() },
      Meter.Reading(counter: .jobsRun) { bench_hooks_jobs() },
      Meter.Reading(counter: .wakeups) { bench_hooks_wakeups() },
    ]
}
