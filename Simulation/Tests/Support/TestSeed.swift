import Foundation
import UVSimulation

/// The seed of the tests: `UV_SIMULATION_SEED` in the environment, or 1. `UV_SIMULATION_WEATHER` is `usual`
/// or `storm`.
enum TestSeed {
  static let seed = ProcessInfo.processInfo.environment["UV_SIMULATION_SEED"].flatMap(UInt64.init) ?? 1

  static let weather =
    switch ProcessInfo.processInfo.environment["UV_SIMULATION_WEATHER"] {
    case "usual": Weather.usual
    case "storm": Weather.storm
    default: Weather.calm
    }
}
