import CUV

/// A processor of the machine; see ``SystemInfo/processors()``.
///
/// The corresponding libuv type is `uv_cpu_info_t`.
public struct Processor: Hashable, Sendable {
  /// The processor's name, as its maker gives it.
  public var model: String
  /// The processor's speed in megahertz; 0 if the system doesn't say.
  public var megahertz: Int
  /// The time that the processor has spent on programs.
  public var userTime: Duration
  /// The time that the processor has spent on programs of low priority.
  public var niceTime: Duration
  /// The time that the processor has spent in the system.
  public var systemTime: Duration
  /// The time in which the processor had nothing to do.
  public var idleTime: Duration
  /// The time that the processor has spent on interrupts.
  public var interruptTime: Duration

  init(_ info: uv_cpu_info_t) {
    model = info.model.map { String(cString: $0) } ?? ""
    megahertz = Int(info.speed)
    userTime = .milliseconds(info.cpu_times.user)
    niceTime = .milliseconds(info.cpu_times.nice)
    systemTime = .milliseconds(info.cpu_times.sys)
    idleTime = .milliseconds(info.cpu_times.idle)
    interruptTime = .milliseconds(info.cpu_times.irq)
  }
}
