import ArgumentParser
import CBenchSupport

struct PeersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "peers",
    abstract: "Run the same work on other event loops, beside ours and C, and print one table.",
    discussion: """
      First, `bench/peers/setup` installs and builds what this machine can have;
      what is not there is skipped, and a line says so. Processor time is that of
      the measured process alone, and the load on a server comes from the same
      generator for all.

      Examples:
        uvbench peers --quick                 in less than three minutes
        uvbench peers                         thoroughly, in less than half an hour
        uvbench peers -w tcp-echo --peer tokio --peer 'nio-*'
        uvbench peers --json peers.json -o peers.html

      Exit codes: 0 done, 2 wrong use or a file that cannot be used, 3 the work was
      wrong or a peer died.
      """)

  @Flag(help: "Less than three minutes: three short rounds, fewer timers.")
  var quick = false

  @Option(name: .shortAndLong, help: "Only workloads whose name fits. Repeatable.")
  var workload: [String] = []

  @Option(help: "Only peers whose name fits. Repeatable.")
  var peer: [String] = []

  @Option(help: "Where the peers are.")
  var folder = "bench/peers"

  @Flag(help: "Count instructions in user space for a request of tcp-echo, too; takes valgrind and minutes.")
  var instructions = false

  @OptionGroup var measure: MeasureOptions

  @OptionGroup var output: OutputOptions

  func run() throws {
    try output.checkWritable()
    let peers = try available()
    let plan = try plan(peers)
    RootCommand.complain(plan.summary)
    let workers = try Workers()
    try writeFiles(plan, below: workers.directory)
    let counts = try count(plan, peers, workers)
    let results = try SuiteRun(plan: plan, instructions: counts).results { id in
      guard let peer = peers.first(where: { $0.row == id.style }) else { return try workers.start() }
      if id.workload == "cold-start" { return ColdPeer(command: peer.command(in: folder)) }
      return try PeerWorker(peer, folder: folder, id: id, directory: workers.directory)
    }
    let table = PeerTable(results.results, peers: peers)
    try output.show(results, table, table.verdicts, section: table.section)
  }

  /// The peers that were asked for and are there; a line for each that is not.
  private func available() throws -> [Peer] {
    try Peer.all(in: folder).filter { peer in
      guard Glob.isChosen(peer.name, by: self.peer) else { return false }
      guard let program = peer.missing(in: folder) else { return true }
      print("skipped \(peer.name): there is no \(program); see \(folder)/setup")
      return false
    }
  }

  private func plan(_ peers: [Peer]) throws -> SuitePlan {
    let names = Set(peers.flatMap(\.workloads)).filter { Glob.isChosen($0, by: workload) }
    guard !names.isEmpty else { throw UsageError("no peer that is here has such a workload") }
    // `wakeup` is measured with both threads on one processor: where the threads of others run is their
    // affair. The slowest take 50 µs for a timer: a million would take them most of a minute in every round.
    var overrides = ["cores": [1], "timers": [quick ? 20_000 : 100_000]]
    let cases = try BenchMain.current.peers.filter(names.contains)
      .flatMap { name in
        let known = BenchMain.current.workloads.first { $0.name == name }?.parameters.map(\.name) ?? []
        // As many handshakes and requests under way as the workload has; they have no queue.
        overrides["in-flight"] = ["tls-handshake", "http-client"].contains(name) ? nil : [64]
        return try SuitePlan.cases(
          BenchMain.current.workloads, patterns: [name],
          overrides: overrides.filter { known.contains($0.key) }, quick: quick)
      }
      .map { item in
        var item = item
        item.styles += peers.filter { $0.workloads.contains(item.workload.name) }.map(\.row)
        return item
      }
    return measure.plan(cases, quick: quick, budget: quick ? 160 : 1500)
  }

  /// Instructions in user space for each row of `tcp-echo`.
  private func count(_ plan: SuitePlan, _ peers: [Peer], _ workers: Workers) throws -> [String: CountFigure] {
    guard instructions, var item = plan.cases.first(where: { $0.workload.name == "tcp-echo" }) else {
      return [:]
    }
    let theirs = peers.filter { item.styles.contains($0.row) }
    item.styles.removeAll { style in theirs.contains { $0.row == style } }
    let counter = try InstructionCounter(workers)
    var counts = try counter.count([item])
    for peer in theirs {
      let id = item.id(peer.row)
      do {
        counts[id.description] = CountFigure([try instructions(of: peer, id, below: workers.directory)])
      } catch let error where !(error is Interrupted) {
        print("instructions of \(peer.name) cannot be counted: \(error)")
      }
    }
    return counts
  }

  /// Those that a peer's server takes for a request: under callgrind, the slope between a run of so many
  /// requests and one of twice as many.
  private func instructions(of peer: Peer, _ id: WorkloadID, below directory: String) throws -> Double {
    // Enough for a compiler at run time to have done its work.
    let requests = 5000
    let totals = try [requests, 2 * requests].map { count in
      let file = "\(directory)/\(peer.name)-\(count)"
      let valgrind = [
        "valgrind", "--tool=callgrind", "--smc-check=all-non-file", "--callgrind-out-file=\(file)",
        "--log-file=\(file).log",
      ]
      let worker = try PeerWorker(peer, folder: folder, id: id, directory: directory, by: valgrind)
      _ = try worker.ask(WorkerRequest(.time, id, operations: count, seed: 1), within: 600)
      worker.finish()
      return try InstructionCounter.total(in: file)
    }
    return max(0, (totals[1] - totals[0]) / Double(requests))
  }

  private func writeFiles(_ plan: SuitePlan, below directory: String) throws {
    guard let item = plan.cases.first(where: { $0.workload.name == "fs-read" }) else { return }
    var hashes = [UInt64](repeating: 0, count: Int(BENCH_FILES))
    let error = bench_files_write(directory, UInt64(item.parameters["size"]), 0, 1, &hashes)
    guard error == 0 else { throw UsageError("cannot write files below \(directory): error \(error)") }
  }
}
