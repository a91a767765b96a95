import SimulatedWorlds
import Testing
import UVSimulation

/// Worlds in which signals come. libuv writes a handle's address to a pipe then, which is a part of the digest.
private let withSignals = ["graceful", "signals"]

@Suite struct WorldTests {
  @Test("No seed breaks a rule of a world", arguments: HuntedWorld.all.map(\.name))
  func rules(name: String) throws {
    let world = try #require(HuntedWorld.named(name))
    for seed in 1...20 as ClosedRange<UInt64> { try world.run(seed: seed) }
  }

  @Test(
    "A seed repeats each byte of a world",
    arguments: HuntedWorld.all.map(\.name).filter { !withSignals.contains($0) })
  func repetition(name: String) throws {
    let world = try #require(HuntedWorld.named(name))
    for seed in 1...2 as ClosedRange<UInt64> {
      let one = try world.run(seed: seed), other = try world.run(seed: seed)
      #expect(
        one.digest == other.digest, "seed \(seed): \(String(describing: one.firstDifference(from: other)))")
    }
  }
}
