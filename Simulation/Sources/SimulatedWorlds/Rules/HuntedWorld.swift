public import UVSimulation

/// A world whose rules no seed may break: every byte comes once and in order, everything that was asked is
/// answered once, nothing is left open, no waiter is stuck, and no timer is early. Those of liveness also say
/// how long something may take at most.
public struct HuntedWorld: Sendable {
  /// The world's name.
  public let name: String
  let build: @Sendable (World, Ledger) throws -> Void

  package init(_ name: String, _ build: @escaping @Sendable (World, Ledger) throws -> Void) {
    self.name = name
    self.build = build
  }

  /// Builds the world, waits for its end and looks at what was reported. It is what a `Simulation` runs.
  public func body(_ world: World) throws {
    let ledger = Ledger()
    try build(world, ledger)
    for host in world.hosts where host.isClient {
      try world.wait(for: host)
      // libuv itself keeps a pair for signals.
      if host.openDescriptors > 2 {
        throw Violation("\(host.name) has left \(host.openDescriptors - 2) descriptors open")
      }
    }
    try ledger.check()
  }

  /// The weather of a seed: a storm, a usual day, or a mixture of its own.
  public static func weather(of seed: UInt64) -> Weather { .drawn(seed) }

  /// Runs it once, in the weather of the seed.
  @discardableResult
  public func run(seed: UInt64, traceLength: Int = 1024) throws(SimulationError) -> Simulation {
    try Simulation(seed: seed, weather: Self.weather(of: seed), traceLength: traceLength, body)
  }

  /// The world with a name; nil if there is none.
  public static func named(_ name: String) -> HuntedWorld? { all.first { $0.name == name } }

  /// All worlds.
  public static let all: [HuntedWorld] =
    streamWorlds + connectionWorlds + timeWorlds + taskWorlds + loopWorlds + processWorlds + otherWorlds
    + meetingWorlds + httpWorlds + livenessWorlds
}
