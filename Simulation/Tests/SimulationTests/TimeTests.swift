import Foundation
import Testing
import UV
import UVSimulation

@Suite struct TimeTests {
  @Test("A day passes at once") func day() throws {
    let run = try Simulation(seed: 1) { world in
      world.host("a") { loop in try await loop.sleep(for: .seconds(86_400)).value }
    }
    #expect(run.duration >= .seconds(86_400) && run.duration < .seconds(86_401))
  }

  @Test("All clocks agree, and stand while a host runs") func clocks() throws {
    try Simulation(seed: 1) { world in
      world.host("a") { loop in
        let (loops, continuous, suspending, date) =
          (loop.clock.now, ContinuousClock.now, SuspendingClock.now, Date())
        try await loop.sleep(for: .seconds(3600)).value
        let passed = loops.duration(to: loop.clock.now)
        #expect(passed >= .seconds(3600) && passed < .milliseconds(3_600_002))
        #expect(continuous.duration(to: .now) == passed)
        #expect(suspending.duration(to: .now) == passed)
        #expect(abs(Date().timeIntervalSince(date) - 3600) < 0.01)
        let now = loop.clock.now
        #expect(now == loop.clock.now)
      }
    }
  }

  @Test("A host that waits for the clock in a loop sees it go on") func busy() throws {
    let run = try Simulation(seed: 1) { world in
      world.host("a") { loop in
        let end = loop.clock.now.advanced(by: .milliseconds(30))
        while loop.clock.now < end {}
      }
    }
    #expect(run.duration >= .milliseconds(30) && run.duration < .milliseconds(40))
  }

  @Test("Limits and sleeps in the four styles end in virtual time") func styles() throws {
    let run = try Simulation(seed: 3) { world in
      world.host("async") { loop in
        await #expect(throws: UVError.self) {
          try await loop.sleep(for: .seconds(100)).timeout(after: .seconds(50)).value
        }
      }
      world.program("callbacks") {
        EventLoop.runCallbacks { loop in _ = loop.sleep(for: .seconds(100)) { _ in } }
      }
    }
    #expect(run.duration >= .seconds(100) && run.duration < .seconds(101))
  }

  @Test("The world's closure lets time pass, and sees a host end") func script() throws {
    let run = try Simulation(seed: 1) { world in
      let host = world.host("a") { loop in try await loop.sleep(for: .seconds(10)).value }
      try world.sleep(for: .seconds(4))
      #expect(world.now == .seconds(4) && !host.hasEnded)
      try world.wait(for: host)
      #expect(world.now >= .seconds(10))
    }
    #expect(run.duration < .seconds(11))
  }
}
