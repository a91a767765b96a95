/// A program that serves connections which stay open: what each of them takes of its memory.
public enum IdleServer {
  /// Starts `command`, an echo server that prints the port of 127.0.0.1 that it listens on. So many connections send a line
  /// each and get it back, and stay.
  ///
  /// A latency is the time from the connection to the answer. The resident bytes are those by which the program has grown since
  /// its first connection, which has gone before. The processor time is that of the program alone.
  public static func run(_ command: [String], connections: Int, meter: Meter) throws -> RunOutcome {
    var latencies = LatencyHistogram()
    let earlier = ProcessUsage.ofChildren()
    meter.open()
    let child = try ChildProcess(command)
    let port = try child.readLine(within: 30)
    _ = try client(of: port)
    let before = resident(child.id)
    var clients: [LineStream] = []
    for _ in 0..<connections {
      let start = ProcessUsage.now().wall
      clients.append(try client(of: port))
      latencies.record(ProcessUsage.now().wall - start)
    }
    let taken = resident(child.id) - before
    child.kill()
    clients = []
    meter.close(ProcessUsage.ofChildren().since(earlier))
    return RunOutcome(
      operations: connections, checksum: 0, latencies: latencies,
      counters: [.residentBytes: UInt64(max(0, taken))])
  }

  /// A connection that has had an answer of 64 bytes.
  private static func client(of port: String) throws -> LineStream {
    guard let address = NetworkAddress("127.0.0.1:\(port)") else { throw WrongWork("`\(port)` is no port") }
    let (lines, line) = (try LineStream.connect(to: address).lines, String(repeating: "x", count: 63))
    try lines.write(line)
    guard try lines.readLine(within: 30) == line else { throw WrongWork("an answer isn't what was sent") }
    return lines
  }

  private static func resident(_ process: pid_t) -> Int {
    let line = TextFile.lines(of: "/proc/\(process)/smaps_rollup").first { $0.hasPrefix("Rss:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 } ?? 0
  }
}
