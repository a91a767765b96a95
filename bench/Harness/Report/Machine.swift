/// Where a run took place: what makes its times comparable with others, or not.
struct Machine: Codable, Hashable, Sendable {
  var cpu: String
  var cores: Int
  var architecture: String
  var kernel: String
  /// Whether it is a virtual machine; nil when that cannot be seen.
  var virtual: Bool?
  var clockSource: String
  var memoryBytes: UInt64
  /// Runnable threads at the start, averaged over a minute.
  var loadAverage: Double

  enum CodingKeys: String, CodingKey {
    case cpu, cores, architecture, kernel, virtual
    case clockSource = "clock_source"
    case memoryBytes = "memory_bytes"
    case loadAverage = "load_average"
  }

  static func current() -> Machine {
    var name = utsname()
    uname(&name)
    var load = [0.0]
    getloadavg(&load, 1)
    let cpuInfo = TextFile.lines(of: "/proc/cpuinfo")
    let flags = cpuInfo.first { $0.hasPrefix("flags") }
    let memory = UInt64(sysconf(Int32(_SC_PHYS_PAGES))) * UInt64(sysconf(Int32(_SC_PAGESIZE)))
    let clock = TextFile.lines(of: "/sys/devices/system/clocksource/clocksource0/current_clocksource")
    return Machine(
      cpu: cpuInfo.first { $0.hasPrefix("model name") }.map { value(of: $0) } ?? "unknown",
      cores: sysconf(Int32(_SC_NPROCESSORS_ONLN)),
      architecture: text(name.machine),
      kernel: text(name.sysname) + " " + text(name.release),
      virtual: flags.map { $0.split(separator: " ").contains("hypervisor") },
      clockSource: clock.first.map(String.init) ?? "unknown",
      memoryBytes: memory, loadAverage: load[0])
  }

  /// Two runs of the same fingerprint may be compared in time; others may not.
  func fingerprint(swift: String, libuv: String) -> String {
    let text = [cpu, "\(cores)", architecture, kernel, swift, libuv].joined(separator: "|")
    let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    return String(hash, radix: 16)
  }

  static var swiftVersion: String {
    #if compiler(>=6.5)
      "6.5 or later"
    #elseif compiler(>=6.4)
      "6.4"
    #elseif compiler(>=6.3.1)
      "6.3.1"
    #elseif compiler(>=6.3)
      "6.3"
    #else
      "6.2"
    #endif
  }

  /// `release`, or `debug`, which measures little.
  static var build: String {
    #if DEBUG
      "debug"
    #else
      "release"
    #endif
  }

  private static func value(of line: Substring) -> String {
    let text = line.split(separator: ":", maxSplits: 1).dropFirst().first ?? ""
    return String(text.drop { $0 == " " })
  }

  private static func text<Tuple>(_ field: Tuple) -> String {
    withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
