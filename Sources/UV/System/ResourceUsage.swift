import CUV

/// The time, memory and operations that a process has used; see ``SystemInfo/resourceUsage()``.
///
/// The corresponding libuv type is `uv_rusage_t`.
public struct ResourceUsage: Hashable, Sendable {
  /// The processor time that the program itself has used.
  public var userTime: Duration
  /// The processor time that the system has used on the program's behalf.
  public var systemTime: Duration
  /// The most memory that the process has occupied at one time, in kibibytes (on macOS in bytes).
  public var maximumResidentMemory: UInt64
  /// How many pages weren't mapped but were found in memory.
  public var minorPageFaults: UInt64
  /// How many pages weren't in memory and had to be read.
  public var majorPageFaults: UInt64
  /// How many times the process has read from a device.
  public var inputOperations: UInt64
  /// How many times the process has written to a device.
  public var outputOperations: UInt64
  /// How many times the process has given up the processor to wait for something.
  public var voluntaryContextSwitches: UInt64
  /// How many times the system has taken the processor from the process.
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
