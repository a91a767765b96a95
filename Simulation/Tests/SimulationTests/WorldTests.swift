import SimulatedWorlds
import Testing
import UVSimulation

@Suite struct WorldTests {
  @Test("No seed breaks a rule of a world", arguments: HuntedWorld.all.map(\.name))
  func rules(name: String) throws {
    let world = try #require(HuntedWorld.named(name))
    for seed in 1...20 as ClosedRange<UInt64> { try world.run(seed: seed) }
  }

  @Test("A seed repeats each call of a world", arguments: HuntedWorld.all.map(\.name))
  func repetition(name: String) throws {
    let world = try #require(HuntedWorld.named(name))
    for seed in 1...2 as ClosedRange<UInt64> {
      let one = try world.run(seed: seed), other = try world.run(seed: seed)
      #expect(
        one.digest == other.digest, "seed \(seed): \(String(describing: one.firstDifference(from: other)))")
    }
  }
}
