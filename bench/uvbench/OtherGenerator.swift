import BenchHarness

/// A load generator of others, with what it asks for.
struct OtherGenerator {
  /// What a generator found in a round.
  struct Figures {
    /// Requests a second.
    var rate: Double
    /// Nanoseconds of processor time of the server for a request.
    var cost: Double
  }

  var program: String
  var server: String
  var workload: String
  var parameters: [String: Int]
  /// The command for so many requests or seconds, and how many requests it made in all, by what it printed.
  var command: (_ port: String, _ requests: Int, _ seconds: Double) -> [String]
  var requests: (_ lines: [String], _ asked: Int) -> Int?

  private static let connections = 50

  static var all: [OtherGenerator] {
    [
      OtherGenerator(
        program: "wrk", server: "nginx", workload: "http-hello", parameters: ["pipelined": 1, "size": 13],
        command: { port, _, seconds in
          [
            "wrk", "-t", "1", "-c", "\(connections)", "-d", "\(max(1, Int(seconds)))",
            "http://127.0.0.1:\(port)/hello",
          ]
        },
        requests: { lines, _ in
          lines.first { $0.contains(" requests in ") }?.split(separator: " ").first.flatMap { Int($0) }
        })
    ]
      + [(100, 1), (0, 1), (100, 16), (0, 16)].map { sets, pipelined in
        OtherGenerator(
          program: "redis-benchmark", server: "redis-server", workload: "resp-get-set",
          parameters: ["pipelined": pipelined, "sets": sets, "size": 64],
          command: { port, requests, _ in
            // As many keys, which are called the same.
            [
              "redis-benchmark", "-p", port, "-c", "\(connections)", "-P", "\(pipelined)", "-d", "64", "-r",
              "800",
              "-n", "\(requests)", "-t", sets == 100 ? "set" : "get", "--csv",
            ]
          },
          requests: { $1 })
      }
  }

  var title: String {
    "\(workload) \(ParameterValues(parameters))"
  }

  /// The program, if this machine doesn't have it.
  var missing: String? { Peer.isHere(program) ? nil : program }

  func id(_ peer: Peer) -> WorkloadID {
    WorkloadID(
      workload: workload, revision: 1, style: peer.row,
      parameters: ParameterValues(parameters.merging(["connections": Self.connections]) { $1 }))
  }

  /// Both in turn, ours at the rate that theirs has reached: with more time between requests, each costs a
  /// server more.
  func measure(
    _ worker: PeerWorker, _ id: WorkloadID, rounds: Int, seconds: Double
  ) throws -> [(ours: Figures, theirs: Figures)] {
    // It warms up, and says how many requests take so long.
    let count = max(1000, Int(try theirs(worker, 20_000, 1).rate * seconds))
    return try (0..<rounds).map { round in
      let theirs = try theirs(worker, count, seconds)
      let answer = try worker.ask(
        WorkerRequest(
          .run, id, operations: count, seed: UInt64(round + 1), arrivals: Arrivals(rate: theirs.rate)),
        within: 600)
      return (Figures(rate: answer.rate, cost: Double(answer.cpuNanoseconds) / Double(count)), theirs)
    }
  }

  private func theirs(_ worker: PeerWorker, _ count: Int, _ seconds: Double) throws -> Figures {
    let (usage, lines) = try worker.load { command($0, count, seconds) }
    guard let requests = requests(lines, count), let rate = Self.rate(lines) else {
      throw WrongWork(
        "\(program) said nothing that is understood: \(lines.joined(separator: " / "))")
    }
    return Figures(rate: rate, cost: Double(usage.cpu) / Double(requests))
  }

  /// Requests a second: after `Requests/sec:`, or the second field of the last line with commas.
  private static func rate(_ lines: [String]) -> Double? {
    if let line = lines.first(where: { $0.hasPrefix("Requests/sec:") }) {
      return line.split(separator: " ").last.flatMap { Double($0) }
    }
    return lines.last { $0.contains(",") }?.split(separator: ",").dropFirst().first
      .flatMap { Double($0.filter { $0 != "\"" }) }
  }
}
