import ArgumentParser
import BenchKit
import CBenchSupport

/// `check`: is the harness itself right?
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "What recording a sample costs, and whether latency tells of a server that stalls.",
    discussion: """
      The server is stopped for 100 ms in every second. A tenth of all requests
      fall into a stall then, and their latencies spread evenly up to 100 ms: the
      95th percentile is 50 ms and the 99th 90 ms. A closed loop sends nothing
      while it waits and hides that.

      Exit codes: 0 right, 1 not, 2 wrong use, 3 the work was wrong or a worker
      died.
      """)

  @Option(help: "Requests per second.")
  var rate = 2000.0

  @Option(help: "Seconds to measure, for each loop.")
  var seconds = 10.0

  @Option(name: .shortAndLong, help: "The workload. (default: the last one with an open loop)")
  var workload: String?

  @Option(help: "Where to write the figures as JSON.")
  var json: String?

  func validate() throws {
    guard rate >= 100, seconds >= 2, rate * seconds <= 1e8 else {
      throw ValidationError(
        "--rate is at least 100, --seconds at least 2, and both together at most 1e8 requests")
    }
  }

  func run() throws {
    if let json { try AtomicFile.checkWritable(json) }
    let chosen = try chosen()
    let (recording, clock) = Self.recordingCost()
    print(
      "recording a latency: \(Figure.fixed(recording, digits: 1)) ns; reading the clock:"
        + " \(Figure.fixed(clock, digits: 1)) ns (wanted: below 50 ns a sample)")
    guard let chosen else {
      print("no workload has an open loop: there is no server to stall")
      return
    }
    Interruption.install()
    let scratch = try ScratchDirectory()
    defer { scratch.remove() }
    let check = try stalls(chosen, scratch.path)
    for line in check.lines { print(line) }
    if let json { try AtomicFile.write(try LineJSON.string(check, pretty: true) + "\n", to: json) }
    guard check.isRight, recording < 50 else { throw ExitCode(BenchExit.regression.rawValue) }
  }

  /// Nanoseconds for a sample with a spread-out value, and for a reading of the clock.
  private static func recordingCost() -> (recording: Double, clock: Double) {
    guard let latencies = bench_latency_create() else { return (.infinity, .infinity) }
    defer { bench_latency_destroy(latencies) }
    let count: UInt64 = 500_000
    // The best of several: what else runs on the machine does not belong to it.
    let recordings = (0..<7).map { _ in
      let start = bench_now_ns()
      for index in 0..<count { bench_latency_record(latencies, bench_mix(index) >> 40) }
      return Double(bench_now_ns() - start) / Double(count)
    }
    let clocks = (0..<7).map { _ in MachineCheck.nanosecondsOfAReading() }
    return (recordings.min() ?? .infinity, clocks.min() ?? .infinity)
  }

  /// The workload that was asked for, or the last of those that can be; nil where there is none.
  private func chosen() throws -> (any Workload)? {
    let open = BenchMain.current.workloads.filter(\.hasOpenLoop)
    guard let workload else { return open.last }
    guard let found = open.last(where: { $0.name == workload }) else {
      let names = open.map(\.name).joined(separator: ", ")
      throw UsageError(
        "no workload with an open loop is called `\(workload)`; there are \(names.isEmpty ? "none" : names)")
    }
    return found
  }

  private func stalls(_ chosen: any Workload, _ directory: String) throws -> StallCheck {
    let progress = Progress()
    defer { progress.clear() }
    let item = try SuitePlan.cases([chosen], quick: true)[0]
    let id = item.id(item.styles[0])
    let workers = Workers(directory: directory, arguments: ["--inject-tail", "100/1000"])
    func ask(_ operations: Int, _ arrivals: Arrivals?) throws -> WorkerAnswer {
      let worker = try workers.start()
      defer { worker.finish() }
      let request = WorkerRequest(.run, id, operations: operations, seed: 1, arrivals: arrivals)
      return try worker.ask(request, within: 60 + 20 * seconds)
    }
    progress.show("\(id): the open loop", share: 0)
    let answer = try ask(Int(rate * seconds), Arrivals(rate: rate))
    progress.show("\(id): the closed loop", share: 0.5)
    // As many seconds, at the speed that the stalled server has in a closed loop.
    let trial = try ask(20_000, nil)
    let speed = 20_000e9 / Double(max(trial.wallNanoseconds, 1))
    let closed = try ask(max(1000, Int(speed * seconds)), nil)
    progress.clear()
    print("\n\(id), stopped for 100 ms in every second, \(Figure.count(rate)) requests per second:")
    return StallCheck(open: answer, closed: closed)
  }
}
