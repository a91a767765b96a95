import Synchronization
import Testing
import UV
import UVSimulation
import UVSimulationTesting

@Suite struct TraitTests {
  static let seeds = Log<UInt64>()
  static let weathers = Log<Weather>()

  @Test(
    "A simulated test runs once for each seed, and its error says how to repeat the run",
    .simulated(seeds: 3...5))
  func eachSeed() throws {
    struct Broken: Error {}
    let run = try Simulation { world in
      world.host("a") { loop in try await loop.sleep(for: .seconds(1)).value }
    }
    Self.seeds.append(run.seed)
    let error = #expect(throws: SimulationError.self) { try Simulation { _ in throw Broken() } }
    #expect(
      error?.description.hasSuffix(
        "\n  repeat it with: UV_SIMULATION_SEED=\(run.seed) swift test --filter eachSeed") == true,
      "\(error!)")
    if run.seed == 5 { #expect(Self.seeds.values == [3, 4, 5]) }
  }

  @Test("A swarm has another mixture of faults for each seed", .swarm(seeds: 1...20))
  func swarm() throws {
    Self.weathers.append(SimulationSetting.current.weather)
    let seed = SimulationSetting.current.seed
    let run = try NetworkTests.echo(seed, SimulationSetting.current.weather, byCallbacks: seed % 2 == 0)
    #expect(run.seed == seed)
    if seed == 20 {
      #expect(Set(Self.weathers.values).count == 20)
      #expect(Self.weathers.values.contains { $0.cut == 0 && $0.loss > 0 })
      #expect(Self.weathers.values.contains { $0.cut > 0 && $0.loss == 0 })
    }
  }

  @Test("Without a trait the seed is 1, or that of the environment") func noTrait() throws {
    let run = try Simulation { _ in }
    #expect(run.seed == SimulationSetting.environmentSeed ?? 1)
  }
}
