import Foundation
import Glibc
import Testing
import UV
import UVSimulation
import WorldSupport

/// Machines that stop, clocks that drift, and calls that fail.
@Suite struct MachineTests {
  @Test("A machine that is stopped does nothing, and its clocks go on; peers send again") func pause() throws
  {
    let notes = FaultTests.Notes()
    let ticks = Log<Duration>()
    try FaultTests.run(1, seconds: 20, notes) { world, server, _ in
      let clock = world.host("clock") { loop in
        let start = loop.clock.now
        for try await _ in loop.ticks(every: .seconds(1)).prefix(15) {
          ticks.append(start.duration(to: loop.clock.now))
        }
      }
      try world.sleep(for: .milliseconds(5500))
      world.pause(server)
      world.pause(clock)
      try world.sleep(for: .seconds(3))
      let steps = Simulation.stepsSoFar
      try world.sleep(for: .milliseconds(10))
      #expect(Simulation.stepsSoFar - steps < 3)
      world.resume(server)
      world.resume(clock)
    }
    #expect(notes.errors.values.isEmpty)
    let gap = FaultTests.longestGap(notes)
    #expect(gap > .seconds(3) && gap < .seconds(10), "\(gap)")
    #expect(
      !ticks.values.contains { $0 > .milliseconds(5600) && $0 < .milliseconds(8400) }, "\(ticks.values)")
    #expect(ticks.values.contains { $0 > .milliseconds(8400) && $0 < .milliseconds(8600) })
  }

  @Test("A pause is seen by callers with a timeout, and connections outlive it") func timeouts() throws {
    let seen = Log<String>()
    try Simulation(seed: 1) { world in
      let server = world.host("server") { loop in try await loop.tcp.listen(port: 7).echo() }
      world.client("client") { loop in
        let connection = try await loop.tcp.connect(host: "server", port: 7).value
        try await loop.sleep(for: .seconds(2)).value
        try await connection.write(Bytes("a".utf8)).value
        do throws(UVError) {
          _ = try await connection.read(exactly: 1).timeout(after: .seconds(1)).value
        } catch { seen.append("\(error.code == .timedOut)") }
        let late = try await connection.read(exactly: 1).value
        seen.append(String(decoding: late!, as: UTF8.self))
        connection.close()
      }
      try world.sleep(for: .seconds(1))
      world.pause(server)
      try world.sleep(for: .seconds(10))
      world.resume(server)
    }
    #expect(seen.values == ["true", "a"])
  }

  @Test("A paused host can crash and start anew, and one that stays paused is named at the end") func ends()
    throws
  {
    let runs = Log<Int>()
    try Simulation(seed: 1) { world in
      let host = world.host("a") { loop in
        runs.append(1)
        try await loop.sleep(for: .seconds(3)).value
        runs.append(2)
      }
      try world.sleep(for: .seconds(1))
      world.pause(host)
      try world.sleep(for: .seconds(10))
      world.bounce(host)
    }
    #expect(runs.values == [1, 1, 2])
    let error = #expect(throws: SimulationError.self) {
      try Simulation(seed: 1) { world in
        let host = world.host("a") { loop in try await loop.sleep(for: .seconds(3)).value }
        try world.sleep(for: .seconds(1))
        world.pause(host)
      }
    }
    #expect(error?.description.contains("a, thread 1: its host is paused") == true, "\(error!)")
    #expect(error?.description.contains("pause a") == true)
  }

  @Test("Clocks drift, and timers keep to their own host's", arguments: [0.5, 0.999, 1.0001, 3.0])
  func drift(rate: Double) throws {
    try Simulation(seed: 1) { world in
      let host = world.client("a") { loop in
        try await loop.sleep(for: .seconds(1)).value
        let (start, continuous, date) = (loop.clock.now, ContinuousClock.now, Date())
        try await loop.sleep(for: .seconds(100)).value
        let passed = start.duration(to: loop.clock.now)
        #expect(passed >= .seconds(100) && passed < .milliseconds(100_002))
        #expect(abs(Date().timeIntervalSince(date) - 100) < 0.01)
        let exact = continuous.duration(to: .now)
        #expect(exact >= .milliseconds(99_999) && exact < .milliseconds(100_002))
        try await loop.work { _ = usleep(1_000_000) }.value
        #expect(start.duration(to: loop.clock.now) < .milliseconds(101_010))
      }
      world.setClockRate(of: host, to: rate)
      try world.wait(for: host)
      let expected = 102 / rate
      #expect(abs(Double(world.now.components.seconds) - expected) <= 1.5, "\(world.now)")
    }
  }

  @Test("A clock that drifts meanwhile doesn't jump") func drifting() throws {
    let dates = Log<Date>()
    try Simulation(seed: 1) { world in
      let host = world.client("a") { loop in
        for try await _ in loop.ticks(every: .milliseconds(100)).prefix(100) { dates.append(Date()) }
      }
      for rate in [2.0, 0.5, 1, 10, 0.1] {
        try world.sleep(for: .seconds(1))
        world.setClockRate(of: host, to: rate)
      }
    }
    for (one, two) in zip(dates.values, dates.values.dropFirst()) {
      #expect(two >= one && two.timeIntervalSince(one) < 3)
    }
  }

  @Test("A server that has no descriptor for a connection accepts it when it has one") func accept() throws {
    let answered = Log<Int>()
    try Simulation(seed: 1) { world in
      let server = world.host("server") { loop in
        let listener = try loop.tcp.listen(port: 7)
        while true {
          do throws(UVError) {
            let connection = try await listener.accept().value
            _ = loop.spawn {
              do { for try await bytes in connection { try await connection.write(bytes).value } } catch {}
            }
          } catch {
            if error.code == .cancelled { return }
            try await loop.sleep(for: .milliseconds(10)).value
          }
        }
      }
      world.client("client") { loop in
        for number in 0..<10 {
          let connection = try await loop.tcp.connect(host: "server", port: 7).value
          try await connection.write(Bytes("x".utf8)).value
          let answer = try await connection.read(exactly: 1).timeout(after: .seconds(30)).value
          if answer != nil { answered.append(number) }
          try await connection.close().value
        }
      }
      world.fail("accept", of: server, after: 3, times: 2, with: .tooManyOpenFiles)
    }
    #expect(answered.values.count >= 8, "\(answered.values)")
  }

  @Test("A connection for which there is no descriptor stays with the listener") func backlog() throws {
    try Simulation(seed: 1) { world in
      let host = world.program("a") {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(7).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        withUnsafePointer(to: &address) {
          $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            #expect(bind(listener, $0, size) == 0 && listen(listener, 5) == 0)
            #expect(connect(client, $0, size) == 0)
          }
        }
        // The world sets the limit meanwhile.
        sleep(2)
        #expect(Glibc.accept(listener, nil, nil) == -1 && errno == EMFILE)
        #expect(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) == -1 && errno == EMFILE)
        sleep(2)
        let server = Glibc.accept(listener, nil, nil)
        #expect(server >= 0)
        for descriptor in [listener, client, server] { close(descriptor) }
      }
      try world.sleep(for: .seconds(1))
      world.limitDescriptors(2, of: host)
      try world.sleep(for: .seconds(2))
      world.limitDescriptors(nil, of: host)
    }
  }

  @Test("Calls fail at a chosen count with a chosen error") func plans() throws {
    let codes = Log<UVError.Code?>()
    let run = try Simulation(seed: 1) { world in
      let host = world.host("a") { loop in
        try await loop.sleep(for: .seconds(1)).value
        let listener = try loop.tcp.listen(port: 7)
        for _ in 0..<5 {
          do throws(UVError) {
            try await loop.tcp.connect(host: "127.0.0.1", port: 7).value.close().value
            codes.append(nil)
          } catch { codes.append(error.code) }
        }
        listener.close()
        let file = try await loop.files.open("/tmp/a", .readWrite, options: [.create]).value
        for _ in 0..<3 {
          do throws(UVError) {
            try await file.sync().value
            codes.append(nil)
          } catch { codes.append(error.code) }
        }
      }
      world.fail("socket", of: host, after: 2, times: 2, with: .outOfMemory)
      world.fail("sync", of: host, after: 1, with: .noSpace)
    }
    #expect(codes.values == [nil, .outOfMemory, .outOfMemory, nil, nil, nil, .noSpace, nil])
    #expect(run.faults.first?.text == "socket of a fails 2 times after 2, with 12")
  }
}
