/// The largest resident size of a process.
enum PeakMemory {
  /// Starts afresh from the present size, where the system can (Linux). `process` is a process id, or `self`.
  static func reset(of process: String = "self") {
    #if os(Linux)
      let file = open("/proc/\(process)/clear_refs", O_WRONLY | O_CLOEXEC)
      guard file >= 0 else { return }
      _ = write(file, "5", 1)
      close(file)
    #endif
  }

  /// Bytes, since the last reset where there can be one, else since the start.
  static func bytes(of process: String = "self") -> UInt64 {
    let line = TextFile.lines(of: "/proc/\(process)/status").first { $0.hasPrefix("VmHWM:") }
    if let kilobytes = line.flatMap({ UInt64($0.filter(\.isNumber)) }) { return kilobytes * 1024 }
    let usage = ProcessUsage.accounting()
    #if canImport(Darwin)
      return UInt64(usage.ru_maxrss)
    #else
      return UInt64(usage.ru_maxrss) * 1024
    #endif
  }
}
