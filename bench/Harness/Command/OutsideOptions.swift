import ArgumentParser

/// What `gate` has to know of programs that others wrote.
struct OutsideOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A server, as a shell starts it: the old one, and then the new one. {port} in it is a free port, which is in the variable PORT, too.",
      valueName: "command"))
  var server: [String] = []

  @Option(
    help: ArgumentHelp(
      "A program that ends, as a shell starts it: the old one, and then the new one.", valueName: "command"))
  var command: [String] = []

  @Option(
    help: ArgumentHelp(
      "What servers are asked for: an URL of http, https, redis, rediss, echo or echos, such as http://127.0.0.1:{port}/path; or a command that asks for as much each time, or says with a last line requests=N how much it was.",
      valueName: "URL or command"))
  var load: OutsideLoad?

  @OptionGroup var requests: RequestOptions

  @Option(
    help: ArgumentHelp(
      "A command that is run before each start of a program or server, such as one that fills a database; its time isn't counted.",
      valueName: "command"))
  var prepare: String?

  @Option(
    help: ArgumentHelp(
      "A code with which --command, or a command of --load, may end besides 0. Repeatable.", valueName: "code"
    ))
  var exitCode: [Int32] = []

  @Option(help: "The smallest change of processor time that has to be found, in per cent.")
  var smallest = 3.0

  @Option(
    help: ArgumentHelp(
      "Milliseconds that one request in a hundred takes longer, which p99 has to find in 19 of 20 gates: as many requests and pairs of servers are measured as that needs, 64 at most.",
      valueName: "ms"))
  var smallestDelay: Double?

  @Option(
    help: ArgumentHelp(
      "Judge only this: cpu, time (of a server: requests a second), p50, p99, p99.9 or memory. Repeatable.",
      valueName: "figure"))
  var judge: [OutsideFigure] = []

  @Option(
    help: ArgumentHelp(
      "What `history` calls this: gates of one name have the same old program. (default: the old command)",
      valueName: "name"))
  var name: String?

  @Option(
    help:
      "How alike the answers of both servers by HTTP have to be: none, status, length or bytes. Otherwise it isn't the same work, and the gate ends with code 3."
  )
  var same = AnsweredWork.Likeness.length

  @Option(help: "Seconds that a server has until it listens.")
  var startWithin = 30.0

  @Option(
    help:
      "Seconds of processor time for which each server is warmed up at least; longer while it gets faster.")
  var warmUp = 0.5

  @Option(help: "Seconds for which latencies are taken of each pair of servers; p99.9 needs 10,000 requests.")
  var latencySeconds = 1.0

  var isGiven: Bool { !server.isEmpty || !command.isEmpty || load != nil }

  func validate() throws {
    for (value, name) in [
      (smallest, "--smallest"), (startWithin, "--start-within"), (warmUp, "--warm-up"),
      (latencySeconds, "--latency-seconds"),
    ] { try Limits.check(value, name, upTo: name == "--smallest" ? 100 : Limits.seconds) }
    try Limits.check(smallestDelay, "--smallest-delay", upTo: 10_000)
    if smallestDelay != nil, !judge.isEmpty, !judge.contains(.p99) {
      throw ValidationError("--smallest-delay is found by p99, which --judge leaves out")
    }
    if requests.isGiven, load?.server(at: 1)?.kind != .http {
      throw ValidationError("--method, --header, --body and --requests need a --load of http or https")
    }
    guard isGiven else {
      if prepare != nil || !exitCode.isEmpty {
        throw ValidationError("--prepare and --exit-code belong to --server or --command")
      }
      return
    }
    // A variable of a script that is empty would be a program that does nothing, and so never gets worse.
    for (programs, name) in [(server, "--server"), (command, "--command")]
    where programs.contains(where: { $0.allSatisfy(\.isWhitespace) }) {
      throw ValidationError("\(name) is empty: name a program as a shell starts it")
    }
    guard command.isEmpty else {
      if !server.isEmpty || load != nil { throw ValidationError("--command excludes --server and --load") }
      guard command.count == 2 else {
        throw ValidationError(
          "--command is given \(command.count == 1 ? "once" : "\(command.count) times"): name the old program and then the new one"
        )
      }
      return try checkFigures()
    }
    guard server.count == 2 else {
      throw ValidationError(
        "--server is given \(server.count == 1 ? "once" : "\(server.count) times"): name the old server and then the new one"
      )
    }
    guard let load else {
      throw ValidationError("what are the servers asked for? Use --load http://127.0.0.1:{port}/")
    }
    guard load.text.contains(OutsideLoad.portMark) || load.server(at: 1) == nil else {
      throw ValidationError(
        "--load \(load.text) needs {port}: the servers run at the same time, each on a port of its own")
    }
    try checkFigures()
  }

  /// A figure that nobody can measure would never be worse.
  private func checkFigures() throws {
    let figures = rivals(connections: nil, directory: "").figures
    if smallestDelay != nil, !figures.contains(.p99) {
      throw ValidationError("--smallest-delay needs servers with a --load that is an URL")
    }
    for figure in judge where !figures.contains(figure) {
      let others = figures.sorted().map(\.rawValue).joined(separator: ", ")
      throw ValidationError("--judge \(figure.rawValue) can't be measured here; what can: \(others)")
    }
  }

  /// The arguments that give these options again.
  var arguments: [String] {
    var words = server.flatMap { ["--server", $0] } + command.flatMap { ["--command", $0] }
    words += (load.map { ["--load", $0.text] } ?? []) + requests.arguments
    words += (prepare.map { ["--prepare", $0] } ?? []) + exitCode.flatMap { ["--exit-code", "\($0)"] }
    for (name, value, usual) in [
      ("--smallest", smallest, 3.0), ("--start-within", startWithin, 30), ("--warm-up", warmUp, 0.5),
      ("--latency-seconds", latencySeconds, 1),
    ] where value != usual { words += [name, "\(value)"] }
    if let smallestDelay { words += ["--smallest-delay", "\(smallestDelay)"] }
    if same != .length { words += ["--same", same.rawValue] }
    return words + judge.flatMap { ["--judge", $0.rawValue] } + (name.map { ["--name", $0] } ?? [])
  }

  func rivals(connections: Int?, directory: String, requests: HTTPRequests? = nil) -> any Rivals {
    guard let load, server.count == 2 else {
      var rivals = CommandRivals(base: command[0], head: command[1], directory: directory)
      (rivals.preparation, rivals.exitCodes) = (prepare, Set([0] + exitCode))
      return rivals
    }
    var options = ServerUnderTest.Options(load: load, directory: directory)
    (options.patience, options.likeness) = (startWithin, same)
    (options.preparation, options.exitCodes) = (prepare, Set([0] + exitCode))
    options.requests = requests
    if let connections { options.connections = connections }
    var rivals = ServerRivals(
      base: server[0], head: server[1], options: options, warmUp: warmUp, window: latencySeconds)
    rivals.findsDelay = smallestDelay != nil
    return rivals
  }
}
