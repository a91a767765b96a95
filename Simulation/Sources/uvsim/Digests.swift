import SimulatedWorlds
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

/// Prints a digest for each seed of the worlds. Where it differs from that of another build, the outside sees other
/// calls, or the same ones at other times.
func printDigests(_ seeds: ClosedRange<UInt64>, _ worlds: [HuntedWorld]) {
  HuntedRun.begin()
  for world in worlds {
    for seed in seeds {
      HuntedRun.note(world.name, seed)
      let digest = (try? world.run(seed: seed))?.digest
      print("\(world.name): seed \(seed): \(digest.map { String($0, radix: 16) } ?? "failed")")
    }
  }
}

/// Prints all calls of one run, a line each.
func printCalls(_ seed: UInt64, _ world: HuntedWorld) {
  let length = 1 << 20
  do {
    for entry in try world.run(seed: seed, traceLength: length).trace { print(entry) }
  } catch {
    for entry in error.trace { print(entry) }
    print(error.description.prefix { $0 != "\n" })
  }
}
