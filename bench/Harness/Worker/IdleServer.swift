/// A program that serves connections which stay open: what each of them takes of its memory.
public enum IdleServer {
  /// Starts `command`, an echo server that prints the port of 127.0.0.1 that it listens on. So many connections send a line
  /// of 64 bytes each, get it back, and stay.
  ///
  /// A latency is the time from the connection to the answer. The resident bytes are those by which the program has grown since
  /// its first connection, which has gone before. The processor time is that of the program alone.
  public static func run(_ command: [String], connections: Int, meter: Meter) throws -> RunOutcome {
    var latencies = LatencyHistogram()
    let earlier = ProcessUsage.ofChildren()
    meter.open()
    let child = try ChildProcess(command)
    let port = try child.readLine(within: 30)
    func client() throws -> LineStream {
      try ColdStart.client(of: command[0], on: port, saying: String(repeating: "x", count: 63))
    }
    _ = try client()
    let before = resident(child.id)
    var clients: [LineStream] = []
    for _ in 0..<connections {
      let start = ProcessUsage.now().wall
      clients.append(try client())
      latencies.record(ProcessUsage.now().wall - start)
    }
    let after = resident(child.id)
    child.kill()
    clients = []
    meter.close(ProcessUsage.ofChildren().since(earlier))
    var counters: [Counter: UInt64] = [:]
    if let before, let after { counters[.residentBytes] = UInt64(max(0, after - before)) }
    return RunOutcome(operations: connections, checksum: 0, latencies: latencies, counters: counters)
  }

  /// The resident bytes of a process; nil where the system doesn't say.
  private static func resident(_ process: pid_t) -> Int? {
    let line = TextFile.lines(of: "/proc/\(process)/smaps_rollup").first { $0.hasPrefix("Rss:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
  }
}
