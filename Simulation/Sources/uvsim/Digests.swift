import UV
import UVSimulation

/// A world of timers, tasks and work on the pool, for comparing runs in several processes and builds.
func timers(_ seed: UInt64) throws -> Simulation {
  try Simulation(seed: seed, traceLength: 1 << 16) { world in
    for name in ["a", "b", "c"] {
      world.host(name) { loop in
        _ = loop.spawn { for try await _ in loop.ticks(every: .milliseconds(7)).prefix(50) {} }
        for _ in 0..<20 {
          try await loop.sleep(for: .milliseconds(10)).value
          _ = try await loop.work { 1 }.value
          try await Task.sleep(for: .milliseconds(3))
          await Task.detached {}.value
        }
        var generator = SystemRandomNumberGenerator()
        try await loop.sleep(for: .nanoseconds(Int64.random(in: 0...1_000_000_000, using: &generator))).value
      }
    }
  }
}

/// Prints the digests of the first seeds.
func printDigests(_ seeds: UInt64) throws {
  for seed in 1...seeds { print(seed, String(try timers(seed).digest, radix: 16)) }
}
