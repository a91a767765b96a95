/// A process that puts load on a server and checks what comes back.
///
/// It is told what to do in a line of `key=value` pairs, says `ready`, waits for `go`,
/// says `done` with its figures, and waits for `end` before it closes its connections.
public final class LoadGenerator {
  private let child: ChildProcess

  /// Starts the generator.
  public init(command: [String]) throws {
    child = try ChildProcess(command + ["\(getpid())"])
  }

  /// One run: `values` describe the load. `meter` is opened when the generator is
  /// connected and warmed up, and closed when its last request is done. `idle` is called before connections are closed.
  public func run(_ values: [(String, String)], meter: Meter, idle: () -> Void = {}) throws -> RunOutcome {
    try child.write("run " + values.map { "\($0)=\($1)" }.joined(separator: " "))
    let answer = try child.readLine(within: 60)
    guard answer == "ready" else { throw failure(answer) }
    meter.open()
    try child.write("go")
    let line = try child.readLine(within: 600)
    meter.close()
    guard let outcome = try Self.outcome(line) else { throw failure(line) }
    idle()
    try child.write("end")
    return outcome
  }

  private func failure(_ line: String) -> WrongWork {
    let message = line.hasPrefix("error ") ? String(line.dropFirst(6)) : "answered `\(line)`"
    return WrongWork("load generator: \(message)")
  }

  /// Reads `done operations=… checksum=… latencies=…`; nil when the line is another. Other numbers are counters.
  static func outcome(_ line: String) throws -> RunOutcome? {
    var words = line.split(separator: " ")
    guard words.first == "done" else { return nil }
    words.removeFirst()
    var values: [Substring: Substring] = [:]
    for word in words {
      let sides = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if sides.count == 2 { values[sides[0]] = sides[1] }
    }
    guard let operations = values.removeValue(forKey: "operations").flatMap({ Int($0) }),
      let checksum = values.removeValue(forKey: "checksum").flatMap({ UInt64($0) }),
      let latencies = values["latencies"].flatMap({ SparseHistogram($0) })
    else { throw WorkerFailure("the load generator answered `\(line.prefix(200))`") }
    let counters = values.compactMap { name, value in
      UInt64(value).map { (Counter(rawValue: String(name)), $0) }
    }
    let service = values["service"].flatMap { SparseHistogram($0) }
    return RunOutcome(
      operations: operations, checksum: checksum, latencies: LatencyHistogram(latencies),
      service: service.map { LatencyHistogram($0) },
      counters: Dictionary(uniqueKeysWithValues: counters))
  }
}
