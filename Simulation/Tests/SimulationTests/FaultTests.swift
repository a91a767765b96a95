import Foundation
import Testing
import UV
import UVSimulation
import WorldSupport

/// A client that asks a server again and again, and notes when it was answered.
@Suite struct FaultTests {
  final class Notes: Sendable {
    let answers = Log<Duration>()
    let errors = Log<UVError.Code>()
  }

  /// A server that answers each byte, and a client that asks each 100 ms.
  @discardableResult static func run(
    _ seed: UInt64, seconds: Int, _ notes: Notes,
    _ script: @escaping (World, SimulatedHost, SimulatedHost) throws -> Void
  ) throws -> Simulation {
    try Simulation(seed: seed, traceLength: 1 << 16) { world in
      let server = world.host("server") { loop in try await loop.tcp.listen(port: 7).echo() }
      let client = world.client("client") { loop in
        let start = loop.clock.now
        let end = start.advanced(by: .seconds(seconds))
        while loop.clock.now < end {
          do throws(UVError) {
            let connection = try await loop.tcp.connect(host: server.address, port: 7).value
            while loop.clock.now < end {
              try await connection.write(Bytes(repeating: 1, count: 1)).value
              _ = try await connection.read(exactly: 1).value
              notes.answers.append(start.duration(to: loop.clock.now))
              try await loop.sleep(for: .milliseconds(100)).value
            }
            connection.close()
          } catch {
            notes.errors.append(error.code)
            try await loop.sleep(for: .milliseconds(100)).value
          }
        }
      }
      try script(world, server, client)
    }
  }

  /// The longest time without an answer.
  static func longestGap(_ notes: Notes) -> Duration {
    zip(notes.answers.values, notes.answers.values.dropFirst()).map { $1 - $0 }.max() ?? .zero
  }

  @Test("A connection survives a partition that is repaired") func partition() throws {
    let notes = Notes()
    try Self.run(1, seconds: 20, notes) { world, server, client in
      try world.sleep(for: .seconds(5))
      world.partition(server, client)
      try world.sleep(for: .seconds(3))
      world.repair(server, client)
    }
    #expect(notes.errors.values.isEmpty)
    let gap = Self.longestGap(notes)
    #expect(gap > .seconds(2) && gap < .seconds(10), "\(gap)")
  }

  @Test("What is held arrives when it is released") func hold() throws {
    let notes = Notes()
    try Self.run(1, seconds: 20, notes) { world, server, client in
      try world.sleep(for: .seconds(5))
      world.hold(server, client)
      try world.sleep(for: .seconds(3))
      world.release(server, client)
    }
    #expect(notes.errors.values.isEmpty)
    let gap = Self.longestGap(notes)
    #expect(gap > .milliseconds(2900) && gap < .milliseconds(3300), "\(gap)")
  }

  @Test("A partition that stays ends a connection in a quarter of an hour") func timeout() throws {
    let notes = Notes()
    try Self.run(1, seconds: 1500, notes) { world, server, client in
      try world.sleep(for: .seconds(5))
      world.partition(server, client)
    }
    #expect(notes.errors.values.first == .timedOut)
  }

  @Test(
    "A host that crashes and starts anew resets the old connections, and serves new ones", arguments: 1...10)
  func bounce(seed: UInt64) throws {
    let notes = Notes()
    let run = try Self.run(seed, seconds: 20, notes) { world, server, _ in
      try world.sleep(for: .seconds(5))
      world.crash(server)
      try world.sleep(for: .seconds(2))
      world.bounce(server)
    }
    #expect(notes.errors.values == [.connectionReset])
    #expect(notes.answers.values.last! > .seconds(19))
    let again = Notes()
    let second = try Self.run(seed, seconds: 20, again) { world, server, _ in
      try world.sleep(for: .seconds(5))
      world.crash(server)
      try world.sleep(for: .seconds(2))
      world.bounce(server)
    }
    #expect(run.digest == second.digest, "\(String(describing: run.firstDifference(from: second)))")
    #expect(notes.answers.values == again.answers.values)
  }

  @Test("An error says what was done to the world") func faults() throws {
    struct Broken: Error {}
    let error = #expect(throws: SimulationError.self) {
      try Simulation(seed: 9) { world in
        let one = world.host("one") { loop in
          try await loop.sleep(for: .seconds(3)).value
          throw Broken()
        }
        let two = world.host("two") { loop in try await loop.sleep(for: .seconds(9)).value }
        try world.sleep(for: .seconds(1))
        world.partition(one, two)
        try world.sleep(for: .seconds(9))
      }
    }
    #expect(error?.description.contains("  1.0 seconds: cut one → two\n") == true)
  }

  @Test("A host that has too many descriptors open gets an error, and goes on when it has fewer")
  func descriptors() throws {
    let codes = Log<UVError.Code>()
    try Simulation(seed: 1) { world in
      let server = world.host("server") { loop in
        for try await connection in try loop.tcp.listen(port: 7) {
          _ = loop.spawn { do { for try await _ in connection {} } catch {} }
        }
      }
      let client = world.client("client") { loop in
        var open: [TCPConnection] = []
        for _ in 0..<100 {
          do throws(UVError) {
            open.append(try await loop.tcp.connect(host: server.address, port: 7).value)
          } catch {
            codes.append(error.code)
            break
          }
        }
        #expect(open.count > 10 && open.count < 50)
        for connection in open { try await connection.close().value }
        try await loop.tcp.connect(host: server.address, port: 7).value.close().value
      }
      world.limitDescriptors(50, of: client)
    }
    #expect(codes.values == [.tooManyOpenFiles])
  }

  @Test("A date that moves changes no timer") func dates() throws {
    try Simulation(seed: 1) { world in
      let host = world.client("a") { loop in
        let (date, start) = (Date(), loop.clock.now)
        try await loop.sleep(for: .seconds(10)).value
        let passed = start.duration(to: loop.clock.now)
        #expect(passed >= .seconds(10) && passed < .seconds(11))
        #expect(abs(Date().timeIntervalSince(date) + 3590) < 1)
      }
      try world.sleep(for: .seconds(5))
      world.moveDate(of: host, by: .seconds(-3600))
    }
  }

  @Test("A reset that answers bytes reaches a machine that was stopped when it came") func lostReset() throws
  {
    let codes = Log<UVError.Code?>()
    let written = Log<Bool>()
    try Simulation(seed: 1, weather: Weather(latency: .milliseconds(10))) { world in
      let server = world.client("server") { loop in
        let listener = try loop.tcp.listen(port: 7)
        let connection = try await listener.accept().value
        listener.close()
        try await loop.sleep(for: .seconds(2)).value
        try await connection.write(Bytes("for nobody".utf8)).value
        written.append(true)
        try await loop.sleep(for: .seconds(20)).value
        codes.append(
          await DiskFaultTests.code { () async throws(UVError) in
            try await connection.write(Bytes("more".utf8)).value
          })
        connection.close()
      }
      world.client("client") { loop in
        try await loop.tcp.connect(host: "server", port: 7).value.close().value
      }
      // The answer takes 20 ms from here, and finds it stopped.
      while written.values.isEmpty { try world.sleep(for: .milliseconds(1)) }
      world.pause(server)
      try world.sleep(for: .seconds(3))
      world.resume(server)
    }
    #expect(codes.values.count == 1 && codes.values[0] != nil)
  }
}
