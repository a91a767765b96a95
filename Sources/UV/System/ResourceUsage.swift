import CUV

/// The time, memory and operations that a process has used; see ``SystemInfo/resourceUsage()``.
public struct ResourceUsage: Hashable, Sendable {
  /// Processor time in the program.
  public var userTime: Duration
  /// Processor time in the system on the program's behalf.
  public var systemTime: Duration
  /// The most memory that it has occupied at a time, in kibibytes (on macOS in bytes).
  public var maximumResidentMemory: UInt64
  /// Pages that were not in place, and were found in memory.
  public var minorPageFaults: UInt64
  /// Pages that were not in place, and had to be read.
  public var majorPageFaults: UInt64
  /// Reads from devices.
  public var inputOperations: UInt64
  /// Writes to devices.
  public var outputOperations: UInt64
  /// How often it has given up the processor, to wait for something.
  public var voluntaryContextSwitches: UInt64
  /// How often the processor was taken from it.
  public var involuntaryContextSwitches: UInt64

  init(_ usage: uv_rusage_t) {
    userTime = Duration(usage.ru_utime)
    systemTime = Duration(usage.ru_stime)
    maximumResidentMemory = usage.ru_maxrss
    minorPageFaults = usage.ru_minflt
    majorPageFaults = usage.ru_majflt
    inputOperations = usage.ru_inblock
    outputOperations = usage.ru_oublock
    voluntaryContextSwitches = usage.ru_nvcsw
    involuntaryContextSwitches = usage.ru_nivcsw
  }
}

extension Duration {
  fileprivate init(_ time: uv_timeval_t) {
    self = .seconds(time.tv_sec) + .microseconds(time.tv_usec)
  }
}
