/// The largest resident size of a process.
public enum PeakMemory {
  /// Starts afresh from the present size, where the system can (Linux). `process` is a process id, or `self`.
  public static func reset(of process: String = "self") {
    #if os(Linux)
      let file = open("/proc/\(process)/clear_refs", O_WRONLY | O_CLOEXEC)
      guard file >= 0 else { return }
      _ = write(file, "5", 1)
      close(file)
    #endif
  }

  /// Bytes, since the last reset where there can be one, else since the start.
  public static func bytes(of process: String = "self") -> UInt64 {
    if let status = (try? TextFile.text(of: "/proc/\(process)/status")),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
      let kilobytes = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first,
      let value = UInt64(kilobytes)
    {
      return value * 1024
    }
    let usage = ProcessUsage.accounting()
    #if canImport(Darwin)
      return UInt64(usage.ru_maxrss)
    #else
      return UInt64(usage.ru_maxrss) * 1024
    #endif
  }
}
