/// What other programs do on the machine while something is measured.
public struct OtherPrograms {
  private let start: UInt64
  private let others: UInt64?

  /// Begins to look.
  public init() {
    start = ProcessUsage.now().wall
    others = Self.ticks
  }

  /// Processors that they have kept busy since, on average; nil where that cannot be seen. The processes that this
  /// one has started count once they have ended.
  public var busy: Double? {
    guard let before = others, let after = Self.ticks else { return nil }
    let seconds = Double(ProcessUsage.now().wall - start) / 1e9
    let used = Double(after) - Double(before)
    return seconds > 0 ? max(0, used / Double(max(sysconf(Int32(_SC_CLK_TCK)), 1)) / seconds) : nil
  }

  /// Ticks of processor time of all programs but this one and its children.
  private static var ticks: UInt64? {
    guard let line = (try? TextFile.text(of: "/proc/stat"))?.split(separator: "\n").first else { return nil }
    // user nice system idle iowait irq softirq steal …
    let fields = line.split(separator: " ").dropFirst().map { UInt64($0) ?? 0 }
    guard fields.count >= 8 else { return nil }
    let all = fields[0] + fields[1] + fields[2] + fields[5] + fields[6] + fields[7]
    var own: UInt64 = 0
    for usage in [false, true].map(ProcessUsage.accounting) {
      own += ProcessUsage.nanoseconds(usage.ru_utime) + ProcessUsage.nanoseconds(usage.ru_stime)
    }
    let mine = own / (1_000_000_000 / UInt64(max(sysconf(Int32(_SC_CLK_TCK)), 1)))
    return all > mine ? all - mine : 0
  }
}
