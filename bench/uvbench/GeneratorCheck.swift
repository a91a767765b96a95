import BenchHarness

/// `doctor --check generators`: does our load generator say what wrk and redis-benchmark say of the same
/// server?
///
/// Both ask nginx for a page, or redis-server for keys, in turn, from the same processor: the other as fast
/// as it can, ours at the rate which that is. What a request costs the server, in processor time, must agree
/// within a tenth: it is what every table here compares.
enum GeneratorCheck {
  private static let folder = "bench/peers"

  static let check = DoctorCheck(
    "generators", "does our load generator agree with wrk and redis-benchmark"
  ) { options in
    let seconds = options.seconds ?? 1
    guard 0.1...600 ~= seconds else { throw UsageError("--seconds is 0.1 to 600 for `generators`") }
    let peers = try Peer.all(in: folder)
    let directory = try Workers().directory
    var rows = [
      ["server", "case", "generator", "requests/s", "theirs", "ratio", "CPU/request", "theirs", "ratio"]
    ]
    var agree = true
    for other in OtherGenerator.all {
      guard let peer = peers.first(where: { $0.name == other.server }) else { continue }
      if let program = peer.missing(in: folder) ?? other.missing {
        print("skipped \(other.program) on \(other.server): there is no \(program)")
        continue
      }
      let worker = try PeerWorker(peer, folder: folder, id: other.id(peer), directory: directory)
      defer { worker.finish() }
      let pairs = try other.measure(worker, other.id(peer), rounds: 5, seconds: seconds)
      func cells(_ value: (OtherGenerator.Figures) -> Double, _ text: (Double) -> String) -> [String] {
        [
          text(Statistics.median(pairs.map { value($0.ours) })),
          text(Statistics.median(pairs.map { value($0.theirs) })),
          Figure.ratio(Statistics.median(pairs.map { value($0.ours) / value($0.theirs) })),
        ]
      }
      if abs(Statistics.median(pairs.map { $0.ours.cost / $0.theirs.cost }) - 1) > 0.1 { agree = false }
      rows.append(
        [other.server, other.title, other.program] + cells(\.rate) { Figure.count($0) }
          + cells(\.cost) { Figure.duration($0) })
    }
    for line in TextTable(rows, words: [0, 1, 2]).text { print(line) }
    print("what a request costs the server \(agree ? "agrees" : "does not agree") within a tenth")
    return agree
  }
}
