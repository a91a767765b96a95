import Testing
import UV
import UVSimulation
import WorldSupport

@Suite struct CheckTests {
  @Test("A statement that isn't always true ends the run with its words and the time") func always() throws {
    let count = Log<Int>()
    let error = #expect(throws: SimulationError.self) {
      try Simulation(seed: 1) { world in
        world.always("fewer than five ticks") { count.values.count < 5 }
        world.host("a") { loop in
          for try await tick in loop.ticks(every: .seconds(1)) { count.append(tick.index) }
        }
      }
    }
    #expect(count.values.count == 5)
    #expect(error?.description == "not true, always: fewer than five ticks (seed 1, after 5.0 seconds)")
  }

  @Test("What becomes true in time passes, and what doesn't fails") func eventually() throws {
    func run(within limit: Duration) throws {
      let done = Log<Int>()
      try Simulation(seed: 1) { world in
        world.eventually("done", within: limit) { !done.values.isEmpty }
        world.host("a") { loop in
          for try await tick in loop.ticks(every: .seconds(1)).prefix(20) where tick.index == 9 {
            done.append(1)
          }
        }
      }
    }
    try run(within: .seconds(11))
    let error = #expect(throws: SimulationError.self) { try run(within: .seconds(8)) }
    guard case .violated("eventually: done") = error?.reason else {
      return #expect(Bool(false), "\(String(describing: error))")
    }
  }

  /// A server with a fault: it takes what one read brings for a whole message.
  static func faulty(_ world: World) {
    world.host("server") { loop in
      for try await connection in try loop.tcp.listen(port: 7) {
        for try await bytes in connection {
          if bytes.count != 10 {
            throw UVError(.invalidArgument, operation: "a message of \(bytes.count) bytes")
          }
          try await connection.write(bytes).value
        }
      }
    }
    world.client("client") { loop in
      let connection = try await loop.tcp.connect(host: "server", port: 7).value
      for _ in 0..<50 {
        try await connection.write(Bytes(repeating: 1, count: 10)).value
        _ = try await connection.read(exactly: 10).value
      }
      try await connection.close().value
    }
  }

  @Test("A failing run is made smaller, down to the faults that it needs") func shrinking() throws {
    try Simulation(seed: 5, weather: .calm, Self.faulty)
    let shrunk = try #require(Simulation.shrink(seed: 5, weather: .storm, Self.faulty))
    #expect(shrunk.faults.count <= 2 && shrunk.error.faultCount > 0)
    #expect(shrunk.weather.loss == 0 && shrunk.weather.jitter == .zero)
    let error = #expect(throws: SimulationError.self) {
      try Simulation(seed: shrunk.seed, weather: shrunk.weather, faults: shrunk.faults, Self.faulty)
    }
    #expect(error?.description == shrunk.error.description)
    #expect(shrunk.code.contains("faults: \(shrunk.faults)"))
  }

  @Test(
    "Hosts that are disturbed at random go on, and each run is repeated by its seed",
    arguments: 1...10 as ClosedRange<UInt64>)
  func disturbance(seed: UInt64) throws {
    func run() throws -> (Simulation, Int) {
      let answers = Log<Int>()
      let run = try Simulation(seed: seed, weather: .usual, traceLength: 1 << 16) { world in
        let server = world.host("server") { loop in try await loop.tcp.listen(port: 7).echo() }
        let client = world.client("client") { loop in
          for round in 0..<100 {
            do throws(UVError) {
              let connection = try await loop.tcp.connect(host: server.address, port: 7).timeout(
                after: .seconds(3)
              ).value
              try await connection.write(Bytes(repeating: 1, count: 10)).value
              if try await connection.read(exactly: 10).timeout(after: .seconds(3)).value != nil {
                answers.append(round)
              }
              connection.close()
            } catch {}
            try await loop.sleep(for: .seconds(1)).value
          }
        }
        world.disturb([server, client], bouncing: [server])
      }
      return (run, answers.values.count)
    }
    let (one, two) = (try run(), try run())
    #expect(one.0.digest == two.0.digest, "\(String(describing: one.0.firstDifference(from: two.0)))")
    #expect(one.1 > 20 && one.1 < 100 && one.1 == two.1)
  }
}
