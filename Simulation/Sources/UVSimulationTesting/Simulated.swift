public import Testing
public import UVSimulation

/// Runs a test once for each seed; see ``Testing/Trait/simulated(seeds:weather:)``.
public struct Simulated: TestTrait, TestScoping {
  /// The seeds.
  public let seeds: ClosedRange<Int>
  /// The weather of each seed.
  public let weather: @Sendable (UInt64) -> Weather

  /// Runs the test for each seed, or for the one in the environment variable `UV_SIMULATION_SEED`.
  @concurrent public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let only = SimulationSetting.environmentSeed
    for seed in only.map({ [$0] }) ?? seeds.map({ UInt64($0) }) {
      let setting = SimulationSetting(
        seed: seed, weather: weather(seed),
        repetition: "UV_SIMULATION_SEED=\(seed) swift test --filter \(Self.filter(test.name))")
      try await SimulationSetting.$current.withValue(setting) { try await function() }
    }
  }

  /// The filter that finds a test, as a shell takes it. A filter is a regular expression, and the name of a
  /// function may be a sentence.
  static func filter(_ name: String) -> String {
    let plain = name.hasPrefix("`") ? name.dropFirst().prefix { $0 != "`" } : name.prefix { $0 != "(" }
    if plain.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }) { return String(plain) }
    let escaped = plain.map { #"\.+*?()[]{}|^$"#.contains($0) ? "\\\($0)" : "\($0)" }.joined()
    return "'" + escaped.replacing("'", with: "'\\''") + "'"
  }
}

extension Trait where Self == Simulated {
  /// Runs the test once for each seed. A `Simulation` in the test without a seed of its own has that one. A
  /// failure says how the run is repeated.
  ///
  /// - Parameters:
  ///   - seeds: The seeds. With the environment variable `UV_SIMULATION_SEED`, the test runs once with that
  ///     seed.
  ///   - weather: The weather of a run without one of its own.
  public static func simulated(seeds: ClosedRange<Int>, weather: Weather = .calm) -> Simulated {
    Simulated(seeds: seeds) { _ in weather }
  }

  /// Runs the test once for each seed, with another mixture of faults each time; see
  /// `Weather.swarm`.
  ///
  /// - Parameter seeds: The seeds; see ``Testing/Trait/simulated(seeds:weather:)``.
  public static func swarm(seeds: ClosedRange<Int>) -> Simulated {
    Simulated(seeds: seeds) { .swarm($0) }
  }
}
