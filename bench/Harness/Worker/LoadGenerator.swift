/// A process that puts load on a server and checks what comes back.
///
/// It gets its task in a line of `key=value` pairs, says `ready`, waits for `go`,
/// says `done` with its figures, and waits for `end` before it closes its connections.
public final class LoadGenerator {
  public enum Place: Sendable {
    /// On this machine, in a process of its own. To the command that starts it the process id of its parent
    /// is added.
    case here([String])
    /// Wherever `generate --listen` runs, which wants the token.
    case there(NetworkAddress, token: String)

    public var isElsewhere: Bool { if case .there = self { true } else { false } }
  }

  /// Of the conversation with a generator elsewhere. Both sides must have the same.
  public static let version = 1

  /// The address of this machine for the generator: that is where a server has to listen.
  public let host: String
  private let channel: any LineChannel

  /// Starts the generator, or connects to it. It puts load on `server`, or on this machine.
  public init(_ place: Place, server: String? = nil) throws {
    switch place {
    case .here(let command):
      host = "127.0.0.1"
      channel = try ChildProcess(command + ["\(getpid())"] + (server.map { [$0] } ?? []))
    case .there(let address, let token):
      let connection = try GeneratorConnection(address, token: token)
      host = connection.localHost
      channel = connection
    }
  }

  /// Whether a token is the one that is expected. How long that takes depends on what was sent, and not on
  /// what is expected.
  public static func isSame(_ sent: String, as expected: String) -> Bool {
    let (sent, expected) = (Array(sent.utf8), Array(expected.utf8) + [0])
    var difference = sent.count ^ (expected.count - 1)
    for (index, byte) in sent.enumerated() { difference |= Int(byte ^ expected[index % expected.count]) }
    return difference == 0
  }

  /// One run: `values` describe the load. `meter` is opened when the generator is
  /// connected and warmed up, and closed when its last request is done. `moment` is called before that, and
  /// when all is done, before connections are closed.
  public func run(_ values: [(String, String)], meter: Meter, moment: (_ isOver: Bool) -> Void = { _ in })
    throws
    -> RunOutcome
  {
    try prepare(values)
    moment(false)
    meter.open()
    try go()
    let outcome = try finish { meter.close() }
    moment(true)
    try end()
    return outcome
  }

  /// The parts of a run, for a caller that has several generators at work at a time: it returns when the generator is connected
  /// and has warmed up.
  func prepare(_ values: [(String, String)]) throws {
    try channel.write("run " + values.map { "\($0)=\($1)" }.joined(separator: " "))
    let answer = try channel.readLine(within: 60)
    guard answer == "ready" else { throw failure(answer) }
  }

  func go() throws { try channel.write("go") }

  /// Waits for the last answer. `whenDone` is called at once when that has come.
  func finish(_ whenDone: () -> Void = {}) throws -> RunOutcome {
    let line = try channel.readLine(within: 600)
    whenDone()
    guard let outcome = try Self.outcome(line) else { throw failure(line) }
    return outcome
  }

  /// Has the generator close its connections.
  func end() throws { try channel.write("end") }

  private func failure(_ line: String) -> WrongWork {
    let message = line.hasPrefix("error ") ? String(line.dropFirst(6)) : "answered `\(line)`"
    return WrongWork("load generator: \(message)")
  }

  /// Reads `done operations=… checksum=… latencies=…`; nil when the line is another. Other numbers are
  /// counters.
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
      let latencies = values["latencies"].flatMap({ SparseHistogram(rawValue: String($0)) })
    else { throw WorkerFailure("the load generator answered `\(line.prefix(200))`") }
    let counters = values.compactMap { name, value in
      UInt64(value).map { (Counter(rawValue: String(name)), $0) }
    }
    let service = values["service"].flatMap { SparseHistogram(rawValue: String($0)) }
    return RunOutcome(
      operations: operations, checksum: checksum, latencies: LatencyHistogram(latencies),
      service: service.map { LatencyHistogram($0) },
      counters: Dictionary(uniqueKeysWithValues: counters))
  }
}
