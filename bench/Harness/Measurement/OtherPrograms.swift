/// What takes time on the machine while something is measured.
struct OtherPrograms {
  private let start: UInt64
  private let before: ProcessorTicks?
  private let own: UInt64

  init() {
    start = ProcessUsage.now().wall
    before = ProcessorTicks.now()
    own = Self.ownTicks
  }

  /// Processors that other programs have kept busy since, on average; nil where that cannot be seen. The
  /// processes that this one has started count once they have ended.
  var busy: Double? {
    guard let before, let after = ProcessorTicks.now() else { return nil }
    let seconds = Double(ProcessUsage.now().wall - start) / 1e9
    let used = Double(after.busy) - Double(before.busy) - Double(Self.ownTicks - own)
    return seconds > 0 ? max(0, used / Double(ProcessorTicks.perSecond) / seconds) : nil
  }

  /// The share of the time that programs wanted a processor and the hypervisor gave it to another machine;
  /// nil where that cannot be seen.
  var stolen: Double? {
    guard let before else { return nil }
    return ProcessorTicks.now()?.shareStolen(since: before)
  }

  private static var ownTicks: UInt64 {
    var own: UInt64 = 0
    for usage in [false, true].map(ProcessUsage.accounting) {
      own += ProcessUsage.nanoseconds(usage.ru_utime) + ProcessUsage.nanoseconds(usage.ru_stime)
    }
    return own / (1_000_000_000 / ProcessorTicks.perSecond)
  }
}
