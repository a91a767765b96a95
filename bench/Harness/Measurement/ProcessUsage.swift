import CBenchSupport

/// What this process has used so far.
public struct ProcessUsage: Hashable, Sendable {
  var wall: UInt64 = 0
  /// Processor time of all threads, exact.
  public var cpu: UInt64 = 0
  /// The part of it spent in user space, as the kernel accounts it.
  var user: UInt64 = 0
  /// The part of it spent in the kernel, as the kernel accounts it.
  var system: UInt64 = 0
  /// Context switches that a thread asked for by waiting.
  var voluntarySwitches: UInt64 = 0
  /// Context switches that were forced on a thread.
  var involuntarySwitches: UInt64 = 0
  var pageFaults: UInt64 = 0

  static func now() -> ProcessUsage {
    ProcessUsage(
      accounting(), wall: nanoseconds(of: CLOCK_MONOTONIC), cpu: nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID))
  }

  /// What the processes have used that this one has started and that have ended.
  static func ofChildren() -> ProcessUsage {
    let usage = accounting(ofChildren: true)
    return ProcessUsage(usage, wall: 0, cpu: nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime))
  }

  /// The time, and nothing of any process.
  static func ofNobody() -> ProcessUsage { ProcessUsage(wall: nanoseconds(of: CLOCK_MONOTONIC)) }

  #if os(Linux)
    /// The figures of another process. Context switches and page faults stay zero: the kernel gives those of
    /// its first thread only. A process that has ended has used nothing.
    static func now(of process: pid_t) -> ProcessUsage {
      var clock = clockid_t()
      guard clock_getcpuclockid(process, &clock) == 0 else { return ProcessUsage() }
      // After the name, which may hold anything: state, …, then user and system time in ticks.
      let status = (try? TextFile.text(of: "/proc/\(process)/stat")) ?? ""
      let fields = status.drop { $0 != ")" }.split(separator: " ").map { UInt64($0) ?? 0 }
      let tick = 1_000_000_000 / UInt64(max(sysconf(Int32(_SC_CLK_TCK)), 1))
      return ProcessUsage(
        wall: nanoseconds(of: CLOCK_MONOTONIC), cpu: nanoseconds(of: clock),
        user: fields.count > 13 ? fields[12] * tick : 0, system: fields.count > 13 ? fields[13] * tick : 0)
    }
  #endif

  func since(_ earlier: ProcessUsage) -> ProcessUsage {
    ProcessUsage(
      wall: wall &- earlier.wall, cpu: cpu &- earlier.cpu, user: user &- earlier.user,
      system: system &- earlier.system,
      voluntarySwitches: voluntarySwitches &- earlier.voluntarySwitches,
      involuntarySwitches: involuntarySwitches &- earlier.involuntarySwitches,
      pageFaults: pageFaults &- earlier.pageFaults)
  }

  /// What the kernel accounts to this process, or to those that it has started and that have ended.
  static func accounting(ofChildren: Bool = false) -> rusage {
    var usage = rusage()
    // RUSAGE_CHILDREN and RUSAGE_SELF, which are an enumeration in glibc and numbers elsewhere.
    getrusage(ofChildren ? -1 : 0, &usage)
    return usage
  }

  private static func nanoseconds(of clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  static func nanoseconds(_ time: timeval) -> UInt64 {
    UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_usec) * 1000
  }
}

extension ProcessUsage {
  fileprivate init(_ usage: rusage, wall: UInt64, cpu: UInt64) {
    self.init(
      wall: wall, cpu: cpu, user: Self.nanoseconds(usage.ru_utime), system: Self.nanoseconds(usage.ru_stime),
      voluntarySwitches: UInt64(usage.ru_nvcsw), involuntarySwitches: UInt64(usage.ru_nivcsw),
      pageFaults: UInt64(usage.ru_minflt) + UInt64(usage.ru_majflt))
  }
}
