import CBenchSupport

/// `doctor --check stalls`: is the harness itself right?
///
/// The server is stopped for 100 ms in every second. A tenth of all requests fall into a stall then, and
/// their latencies spread evenly up to 100 ms: the 95th percentile is 50 ms and the 99th 90 ms. A closed loop
/// sends nothing while it waits and hides that.
enum StallsCheck {
  static let check = DoctorCheck(
    "stalls", "does latency tell of a server that stalls; what a sample costs"
  ) { options in
    let seconds = options.seconds ?? 10
    let workload = try workload(options.workload)
    let (recording, clock) = recordingCost()
    print(
      "recording a latency: \(Figure.fixed(recording, digits: 1)) ns; reading the clock:"
        + " \(Figure.fixed(clock, digits: 1)) ns (wanted: below 50 ns a sample)")
    guard let workload else {
      print("no workload has an open loop: there is no server to stall")
      return true
    }
    guard 2...50_000 ~= seconds else { throw UsageError("--seconds is 2 to 50000 for `stalls`") }
    let table = try stalls(workload, seconds)
    for line in table.lines { print(line) }
    return table.isRight && recording < 50
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
  private static func workload(_ name: String?) throws -> (any Workload)? {
    let open = BenchMain.current.workloads.filter(\.hasOpenLoop)
    guard let name else { return open.last }
    guard let found = open.last(where: { $0.name == name }) else {
      let names = open.map(\.name).joined(separator: ", ")
      throw UsageError(
        "no workload with an open loop is called `\(name)`; there are \(names.isEmpty ? "none" : names)")
    }
    return found
  }

  private static func stalls(_ workload: any Workload, _ seconds: Double) throws -> StallTable {
    let progress = Progress()
    defer { progress.clear() }
    // Requests per second.
    let rate = 2000.0
    let item = try SuitePlan.cases([workload], quick: true)[0]
    let id = item.id(item.styles[0])
    let workers = try Workers(arguments: ["--inject-tail", "100/1000"])
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
    let speed = try ask(20_000, nil).rate
    let closed = try ask(max(1000, Int(speed * seconds)), nil)
    progress.clear()
    print("\n\(id), stopped for 100 ms in every second, \(Figure.count(rate)) requests per second:")
    return StallTable(open: answer, closed: closed)
  }
}
