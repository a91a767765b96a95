package import UVSimulation

extension Weather {
  /// The weather of a seed: a storm, a usual day, or a mixture of its own.
  package static func drawn(_ seed: UInt64) -> Weather {
    switch seed % 4 {
    case 0: .storm
    case 2: .usual
    default: .swarm(seed)
    }
  }
}
