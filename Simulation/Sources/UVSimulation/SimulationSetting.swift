import Glibc

/// What a run takes by default. A trait of Swift Testing sets it.
public struct SimulationSetting: Sendable {
  /// The seed.
  public var seed: UInt64
  /// The weather.
  public var weather: Weather
  /// How to repeat the run, in words; nil if nobody knows.
  public var repetition: String?

  /// Creates a setting.
  public init(seed: UInt64, weather: Weather = .calm, repetition: String? = nil) {
    self.seed = seed
    self.weather = weather
    self.repetition = repetition
  }

  /// The setting of the task that runs a world: that of the test's trait, or else the seed in the environment
  /// variable `UV_SIMULATION_SEED`, or else the seed 1.
  @TaskLocal public static var current = SimulationSetting(seed: environmentSeed ?? 1)

  /// The seed in the environment variable `UV_SIMULATION_SEED`; nil if there is none.
  public static var environmentSeed: UInt64? {
    getenv("UV_SIMULATION_SEED").flatMap { UInt64(String(cString: $0)) }
  }
}
