import Glibc
import Testing
import UV
import UVSimulation

@Suite struct ErrorTests {
  struct Broken: Error {}

  @Test("The error of a host says the host, the seed and the time") func hosts() throws {
    let error = #expect(throws: SimulationError.self) {
      try Simulation(seed: 42) { world in
        world.host("a") { loop in
          try await loop.sleep(for: .seconds(3)).value
          throw Broken()
        }
        world.host("b") { loop in try await loop.sleep(for: .seconds(300)).value }
      }
    }
    #expect(error?.description == #"the host "a" threw an error: Broken() (seed 42, after 3.0 seconds)"#)
  }

  @Test("A deadlock is a report, with the snapshot of each loop that waits") func deadlock() throws {
    let error = #expect(throws: SimulationError.self) {
      try Simulation(seed: 1) { world in
        world.host("a") { loop in
          for try await _ in CustomSource<Int>(loop, "what never comes", resume: { _ in }) {}
        }
        world.host("b") { loop in try await loop.sleep(for: .seconds(1)).value }
      }
    }
    let text = try #require(error?.description)
    #expect(
      text.contains(
        "nothing can run and nothing is due, but somebody still waits (seed 1, after 1.0 seconds)"))
    #expect(text.contains("host \"a\":\na: running\ntasks: 1\n"))
    #expect(text.contains("what never comes"))
    #expect(text.contains("a, thread 1: epoll_wait"))
    #expect(!text.contains("host \"b\""))
  }

  @Test("A world that doesn't end within its limit is an error") func limit() throws {
    let error = #expect(throws: SimulationError.self) {
      try Simulation(seed: 1, limit: .seconds(10)) { world in
        world.host("a") { loop in for try await _ in loop.ticks(every: .seconds(1)) {} }
      }
    }
    guard case .limit = error?.reason else { return #expect(Bool(false), "\(String(describing: error))") }
  }

  @Test("A call that isn't simulated ends the world with its name") func missing() throws {
    let error = #expect(throws: SimulationError.self) {
      try Simulation(seed: 1) { world in
        world.program("a") { #expect(pause() == -1) }
      }
    }
    #expect(error?.description.contains("pause isn't simulated; the host \"a\"") == true, "\(error!)")
  }

  @Test("A world in a world is an error") func nested() throws {
    try Simulation(seed: 1) { world in
      let error = #expect(throws: SimulationError.self) { try Simulation(seed: 2) { _ in } }
      #expect(error?.description.contains("can't be made inside another one") == true)
    }
  }
}
