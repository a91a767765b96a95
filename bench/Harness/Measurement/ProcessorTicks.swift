/// How the machine's processors have spent their time, in the system's ticks.
struct ProcessorTicks {
  static let perSecond = UInt64(max(sysconf(Int32(_SC_CLK_TCK)), 1))

  /// Programs and the system ran.
  let busy: UInt64
  /// A processor was wanted, and the hypervisor ran another machine on it.
  let stolen: UInt64

  /// The ticks since the machine began; nil where that cannot be seen.
  static func now() -> ProcessorTicks? {
    guard let line = TextFile.lines(of: "/proc/stat").first else { return nil }
    // user nice system idle iowait irq softirq steal …
    let fields = line.split(separator: " ").dropFirst().map { UInt64($0) ?? 0 }
    guard fields.count >= 8 else { return nil }
    return ProcessorTicks(busy: fields[0] + fields[1] + fields[2] + fields[5] + fields[6], stolen: fields[7])
  }

  /// The share of the time in which a processor was wanted that the hypervisor has taken.
  func shareStolen(since before: ProcessorTicks) -> Double {
    let taken = Double(stolen) - Double(before.stolen)
    let wanted = taken + Double(busy) - Double(before.busy)
    return wanted > 0 ? taken / wanted : 0
  }
}
