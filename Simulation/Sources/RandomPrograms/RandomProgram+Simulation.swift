import SimulatedWorlds
import UV
public import UVSimulation
import WorldSupport

/// Programs in the simulation, where one side is on a host of its own unless a stream reaches no further.
extension RandomProgram {
  /// Runs it, and compares with the model.
  @discardableResult
  public func run(traceLength: Int = 1024) throws(SimulationError) -> Simulation {
    try Simulation(seed: seed, limit: .seconds(20_000), weather: weather, traceLength: traceLength) { world in
      try ProgramWorld(self, ProgramPlace()).run(world)
    }
  }

  /// Why it fails, in one line; nil if it doesn't.
  public var failure: String? {
    do throws(SimulationError) { try run() } catch {
      return String(error.description.prefix { $0 != "\n" })
    }
    return nil
  }
}

extension HuntedWorld {
  /// Random programs as worlds, so that one hunt has both: several of each seed, because each does a little of everything.
  public static let programs: [HuntedWorld] = (0..<8).map { number in
    HuntedWorld("programs \(number)") { world, _ in
      let program = RandomProgram(seed: world.seed &* 8 &+ UInt64(number))
      world.setWeather(program.weather)
      try ProgramWorld(program, ProgramPlace()).run(world)
    }
  }
}

extension ProgramWorld {
  func run(_ world: World) throws {
    let filter: nonisolated(nonsending) @Sendable (EventLoop, [String]) async throws -> Int = {
      loop, arguments in
      let (input, output) = (try loop.standardInput, try loop.standardOutput)
      for try await bytes in input { try await output.write(bytes).value }
      return Int(arguments[0])!
    }
    world.executable("filter", filter)
    func node(_ name: String, _ numbers: [Int]) {
      let body: nonisolated(nonsending) @Sendable (EventLoop) async throws -> Void = { loop in
        let sides: ProgramWorld = self
        try await sides.run(numbers, on: loop)
      }
      world.node(name, mayBeBusy: false, body)
    }
    if isOneHost {
      node("server", [1, 0])
    } else {
      for (number, name) in ["client", "server"].enumerated() { node(name, [number]) }
    }
    for host in world.hosts {
      try world.wait(for: host)
      try expect(
        host.openDescriptors <= 2, "\(host.name) has left \(host.openDescriptors - 2) descriptors open")
    }
    try check()
  }
}
