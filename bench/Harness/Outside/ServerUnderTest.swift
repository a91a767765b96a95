import CBenchSupport

/// A server that others wrote, started for one pair of measurements, and the load that is put on it.
final class ServerUnderTest {
  /// How many requests, from which processor, and how many a second if not as many as are answered.
  struct Request {
    var operations: Int
    var processor: Int32
    var rate: Double?
    var wantsLatencies = false
  }

  /// What came of it.
  struct Answer {
    var cpu: Double
    /// Nanoseconds on the wall.
    var time: Double
    var operations: Double
    var latencies: LatencyHistogram?
    /// What was answered, where the load is HTTP.
    var work: AnsweredWork?
  }

  struct Options: Sendable {
    var load: OutsideLoad
    var connections = 10
    /// Seconds until it has to listen.
    var patience = 30.0
    var directory: String
    /// Seconds that it may take to end.
    var grace = 5.0
    /// How alike the answers of both servers have to be.
    var likeness = AnsweredWork.Likeness.length
    /// What is asked for by HTTP, if that is more than the URL says.
    var requests: HTTPRequests?
    /// A command that is run before a server is started.
    var preparation: String?
    /// The codes with which a command that asks may end.
    var exitCodes: Set<Int32> = [0]
  }

  let program: TendedProgram
  private let port: UInt16
  private let options: Options
  private let generator: LoadGenerator?

  /// Starts a server, and returns when it listens.
  init(_ command: String, options: Options) throws {
    self.options = options
    port = bench_free_port()
    let port = port
    guard port > 0 else { throw UsageError("127.0.0.1 has no free port") }
    if let preparation = options.preparation {
      try TendedProgram.prepare(
        OutsideLoad.filled(preparation, port), environment: ["PORT": "\(port)"], directory: options.directory)
    }
    program = try TendedProgram(
      OutsideLoad.filled(command, port), environment: ["PORT": "\(port)"], directory: options.directory,
      grace: options.grace)
    let server = options.load.server(at: port)
    generator = try server.map { try LoadGenerator(Executable.generator, server: $0.address.host) }
    try awaitListening()
  }

  func finish() { program.finish() }

  private func awaitListening() throws {
    let address = options.load.address(at: port)
    let deadline = ProcessUsage.now().wall + UInt64(options.patience * 1e9)
    while (try? LineStream.connect(to: address)) == nil {
      if let ending = try program.ending(within: 0.02), !hasMore {
        throw WorkerFailure(
          "`\(program.command)` ended with code \(ending.code) before it listened on \(address)"
            + program.lastWords)
      }
      guard ProcessUsage.now().wall < deadline else {
        throw WorkerFailure(
          "`\(program.command)` doesn't listen on \(address) after \(Figure.significant(options.patience)) s."
            + " The port is in {port}, which the command must contain, and in the variable PORT; --start-within"
            + " SECONDS gives it more time" + program.lastWords)
      }
    }
  }

  /// Whether something of it runs, although the program itself has ended: it may have put itself into the background.
  private var hasMore: Bool { program.usage().processes > 0 }

  /// Begins to put a load on the server when the first result is called; the second one waits for its end.
  func prepare(_ request: Request) throws -> (go: () throws -> Void, finish: () throws -> Answer) {
    guard let generator, let server = options.load.server(at: port) else { return prepareCommand(request) }
    try explained { try generator.prepare(values(request, server)) }
    var before = 0.0
    var start: UInt64 = 0
    return (
      {
        before = Double(self.program.usage().cpu_ns)
        start = ProcessUsage.now().wall
        try generator.go()
      },
      {
        try self.explained {
          var end = start
          let outcome = try generator.finish { end = ProcessUsage.now().wall }
          let cpu = Double(self.program.usage().cpu_ns) - before
          try generator.end()
          return Answer(
            cpu: cpu, time: Double(end - start), operations: Double(outcome.operations),
            latencies: outcome.latencies, work: AnsweredWork(outcome.counters))
        }
      }
    )
  }

  /// A load all at once.
  func ask(_ request: Request) throws -> Answer {
    let (go, finish) = try prepare(request)
    try go()
    return try finish()
  }

  private func values(_ request: Request, _ server: RemoteServer) -> [(String, String)] {
    let connections = options.connections
    var values = [
      ("port", "\(server.address.port)"), ("mode", server.kind.rawValue), ("foreign", "1"), ("size", "64"),
      ("pipelined", "1"), ("sets", "20"), ("connections", "\(connections)"),
      ("warmup", "\(2 * connections)"), ("operations", "\(request.operations)"), ("seed", "1"),
      ("silent", request.wantsLatencies ? "0" : "1"), ("cpu", "\(request.processor)"),
      ("tls", server.isSecure ? "1" : "0"),
    ]
    if let rate = request.rate { values.append(("rate", "\(rate)")) }
    values += [("target", server.target), ("authority", "\(server.address)")]
    guard let requests = options.requests else { return values }
    return values + [
      ("requests", requests.hexadecimal(target: server.target, authority: "\(server.address)"))
    ]
  }

  /// A command of the user's own puts the load on the server. If it ends with a line `requests=N`, it has made so many.
  private func prepareCommand(_ request: Request) -> (go: () throws -> Void, finish: () throws -> Answer) {
    let command = OutsideLoad.filled(options.load.text, port)
    var before = 0.0
    var start: UInt64 = 0
    var load: TendedProgram?
    return (
      {
        before = Double(self.program.usage().cpu_ns)
        start = ProcessUsage.now().wall
        bench_pin_thread(request.processor)
        defer { bench_unpin_thread() }
        load = try TendedProgram(
          command, environment: ["PORT": "\(self.port)"], directory: self.options.directory)
      },
      {
        defer { load?.finish() }
        guard let load, let ending = try load.ending(within: 600) else {
          throw WrongWork("the load `\(command)` has taken ten minutes")
        }
        let time = Double(ProcessUsage.now().wall - start)
        guard self.options.exitCodes.contains(ending.code) else {
          throw WrongWork("the load `\(command)` ended with code \(ending.code)\(load.lastWords)")
        }
        let words = load.lastLine?.split(separator: "=") ?? []
        let requests = words.count == 2 && words[0] == "requests" ? Double(words[1]) : nil
        return Answer(
          cpu: Double(self.program.usage().cpu_ns) - before, time: time, operations: requests ?? 1)
      }
    )
  }

  /// What went wrong may stand in what the server printed.
  private func explained<T>(_ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let error as WrongWork {
      let ended = try program.ending(within: 0.1)
      let ending = ended.map { "; the server ended with code \($0.code)" } ?? ""
      throw WrongWork("`\(program.command)`: \(error)\(ending)\(program.lastWords)")
    }
  }
}
