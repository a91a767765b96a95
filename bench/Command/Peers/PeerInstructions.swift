import BenchKit

/// Counts the instructions in user space that a peer's server takes for a request: under callgrind, the slope between
/// a run of so many requests and one of twice as many.
struct PeerInstructions {
  /// Where the peers are.
  var folder: String
  /// Where files may be put that nobody keeps.
  var scratch: String

  /// Enough for a compiler at run time to have done its work.
  private static let requests = 5000

  /// Instructions for a request.
  func count(_ peer: Peer, _ id: WorkloadID) throws -> Double {
    let totals = try [1, 2].map { try total(peer, id, requests: $0 * Self.requests) }
    return max(0, (totals[1] - totals[0]) / Double(Self.requests))
  }

  private func total(_ peer: Peer, _ id: WorkloadID, requests: Int) throws -> Double {
    let file = scratch + "/\(peer.name)-\(requests)"
    let valgrind = [
      "valgrind", "--tool=callgrind", "--smc-check=all-non-file", "--callgrind-out-file=\(file)",
      "--log-file=\(file).log",
    ]
    let worker = try PeerWorker(peer, folder: folder, id: id, directory: scratch, by: valgrind)
    _ = try worker.ask(WorkerRequest(.time, id, operations: requests, seed: 1), within: 600)
    worker.finish()
    return try InstructionCounter.total(in: file)
  }
}
