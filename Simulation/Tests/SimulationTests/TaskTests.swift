import Dispatch
import Testing
import UV
import UVSimulation

@Suite struct TaskTests {
  @Test("Tasks of Swift's global pool run in the simulation, in an order that is drawn") func pool() throws {
    var orders: Set<[Int]> = []
    for seed in 1...20 as ClosedRange<UInt64> {
      let log = Log<Int>()
      try Simulation(seed: seed) { world in
        world.host("a") { loop in
          let tasks = (0..<5).map { number in Task.detached { log.append(number) } }
          for task in tasks { await task.value }
        }
      }
      #expect(log.values.sorted() == [0, 1, 2, 3, 4])
      orders.insert(log.values)
    }
    #expect(orders.count > 5)
  }

  @Test("Task.sleep and the clocks of the library sleep in virtual time") func sleeps() throws {
    let run = try Simulation(seed: 1) { world in
      world.host("a") { loop in
        try await Task.sleep(for: .seconds(1000))
        try await ContinuousClock().sleep(for: .seconds(500))
        try await SuspendingClock().sleep(for: .seconds(500))
      }
    }
    #expect(run.duration >= .seconds(2000) && run.duration < .seconds(2001))
  }

  @Test("What is given to Dispatch is an error that says so") func dispatch() throws {
    let error = #expect(throws: SimulationError.self) {
      try Simulation(seed: 1) { world in
        world.host("a") { loop in
          DispatchQueue.global().async {}
          try await loop.sleep(for: .seconds(1)).value
        }
      }
    }
    #expect(error?.description.contains("DispatchQueue.async isn't simulated") == true)
  }
}
