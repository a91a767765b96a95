import CAllocations

/// What one run of a workload took, per operation.
struct Measurement {
  var nanoseconds: Double
  var allocations: Double
}

/// Runs `body` for `count` operations a few times, and keeps the fastest run and the fewest allocations: the rest is
/// the machine's doing.
func measure(_ count: Int, rounds: Int = 9, _ body: (Int) -> Void) -> Measurement {
  body(count / 10 + 1)
  var best = Measurement(nanoseconds: .infinity, allocations: .infinity)
  for _ in 0..<rounds {
    let before = allocations_made()
    let time = ContinuousClock().measure { body(count) }
    let allocations = Double(allocations_made() - before) / Double(count)
    let nanoseconds = Double(time.components.attoseconds) / 1e9 + Double(time.components.seconds) * 1e9
    best.nanoseconds = min(best.nanoseconds, nanoseconds / Double(count))
    best.allocations = min(best.allocations, allocations)
  }
  return best
}
