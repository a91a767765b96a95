/// Programs that are started again and again: an echo server each, which prints the port of 127.0.0.1 that it
/// listens on.
public enum ColdStart {
  /// Starts `command`, sends a line when it listens, and ends it when that has come back, so many times.
  ///
  /// A latency is the time from the start to the first answer. The processor time is that of the program
  /// alone.
  public static func run(_ command: [String], operations: Int, meter: Meter) throws -> RunOutcome {
    var latencies = LatencyHistogram()
    var counters: [Counter: UInt64] = [:]
    let before = ProcessUsage.ofChildren()
    meter.open()
    for _ in 0..<operations {
      let start = ProcessUsage.now().wall
      let child = try ChildProcess(command)
      let port = try child.readLine(within: 30)
      _ = try client(of: command[0], on: port, saying: "hello")
      latencies.record(ProcessUsage.now().wall - start)
      for (counter, bytes) in memory(of: child.id) { counters[counter, default: 0] += bytes }
      child.kill()
    }
    meter.close(ProcessUsage.ofChildren().since(before))
    return RunOutcome(operations: operations, checksum: 0, latencies: latencies, counters: counters)
  }

  /// A connection to a program's port, on which a line has come back.
  static func client(of program: String, on port: String, saying line: String) throws -> LineStream {
    if let address = NetworkAddress("127.0.0.1:\(port)"),
      let lines = try? LineStream.connect(to: address).lines
    {
      do {
        try lines.write(line)
        if try lines.readLine(within: 30) == line { return lines }
      } catch is LineStream.Ended {}
    }
    throw WrongWork("`\(program)` doesn't answer on `\(port)`")
  }

  /// Bytes that are mapped of the program's file and of those it is linked with, and resident ones in all.
  private static func memory(of process: pid_t) -> [Counter: UInt64] {
    let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")
    var counters: [Counter: UInt64] = [.programBytes: 0, .linkedBytes: 0]
    for line in TextFile.lines(of: "/proc/\(process)/maps") {
      let words = line.split(separator: " ", omittingEmptySubsequences: true)
      guard words.count == 6, words[5].hasPrefix("/") else { continue }
      let ends = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
      counters[words[5] == program.map { $0[...] } ? .programBytes : .linkedBytes, default: 0] +=
        ends[1] - ends[0]
    }
    let pages = TextFile.lines(of: "/proc/\(process)/statm").first?.split(separator: " ").dropFirst().first
    counters[.residentBytes] = (pages.flatMap { UInt64($0) } ?? 0) * UInt64(sysconf(Int32(_SC_PAGESIZE)))
    return counters
  }
}
