import Foundation
import Testing
import UV
import UVSimulation

@Suite struct RepetitionTests {
  static func run(_ seed: UInt64) throws -> Simulation {
    try Simulation(seed: seed, traceLength: 100_000) { world in
      for name in ["a", "b", "c"] {
        world.host(name) { loop in
          _ = loop.spawn { for try await _ in loop.ticks(every: .milliseconds(7)).prefix(50) {} }
          for _ in 0..<20 {
            try await loop.sleep(for: .milliseconds(10)).value
            _ = try await loop.work { 1 }.value
          }
          try await loop.sleep(for: .milliseconds(Int.random(in: 1...1000))).value
        }
      }
    }
  }

  @Test("Two runs of one seed are equal, call by call, and those of two seeds aren't") func once() throws {
    let (one, two, other) = (try Self.run(1), try Self.run(1), try Self.run(2))
    #expect(one.digest == two.digest && one.steps == two.steps && one.trace == two.trace)
    #expect(one.firstDifference(from: two) == nil)
    #expect(one.steps > 100)
    #expect(one.digest != other.digest)
    let difference = try #require(one.firstDifference(from: other))
    #expect(difference.here != difference.there)
  }

  /// A server with a file, a client that asks it, and everything that a world can do to them.
  static func everything(_ seed: UInt64) throws -> Simulation {
    var weather = Weather.storm
    weather.diskError = 0.02
    return try Simulation(seed: seed, weather: weather, traceLength: 1 << 18) { world in
      let server = world.host("server") { loop in
        var count = 0
        for try await connection in try loop.tcp.listen(port: 7) {
          do {
            while let line = try await connection.readLine(limit: 100).value {
              count += 1
              try await loop.files.writeFile("/tmp/\(count % 7)", line).value
              let file = try await loop.files.open("/tmp/\(count % 7)").value
              if count % 2 == 0 { try await file.sync().value }
              try await file.close().value
              try await connection.write(line).value
            }
          } catch {}
        }
      }
      let client = world.client("client") { loop in
        let end = loop.clock.now.advanced(by: .seconds(120))
        while loop.clock.now < end {
          do throws(UVError) {
            let connection = try await loop.tcp.connect(host: "server", port: 7).timeout(after: .seconds(5))
              .value
            for number in 0..<20 {
              try await connection.write(Bytes("line \(number)\n".utf8)).value
              _ = try await connection.read(exactly: 6).timeout(after: .seconds(5)).value
            }
            connection.close()
          } catch {}
        }
      }
      world.disturb([server, client], bouncing: [server], pausing: [server, client], every: .seconds(5))
      world.setClockRate(of: server, to: 1.01)
      world.fail("accept", of: server, after: 2, times: 3, with: .tooManyOpenFiles)
      try world.sleep(for: .seconds(60))
      world.limitDisk(30, of: server)
      world.limitFileTransfers(3, of: server)
      world.setClockRate(of: client, to: 0.9)
      try world.sleep(for: .seconds(20))
      world.breakDisk(of: server)
      world.moveDate(of: server, by: .seconds(100))
      try world.sleep(for: .seconds(20))
      world.calmDown()
    }
  }

  @Test("Everything that a world can do is repeated by its seed", arguments: 1...20) func everything(
    seed: UInt64
  ) throws {
    let (one, two) = (try Self.everything(seed), try Self.everything(seed))
    #expect(one.digest == two.digest, "\(String(describing: one.firstDifference(from: two)))")
    #expect(one.faults == two.faults && one.faultCount == two.faultCount && one.duration == two.duration)
    #expect(one.faultCount > 100)
  }

  @Test("Runs of one seed are equal in two processes") func processes() throws {
    let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent()
    func digests() throws -> String {
      let (process, pipe) = (Process(), Pipe())
      process.executableURL = products.appendingPathComponent("uvsim")
      process.arguments = ["digests", "20"]
      process.standardOutput = pipe
      try process.run()
      let data = pipe.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      return String(decoding: data, as: UTF8.self)
    }
    let (one, two) = (try digests(), try digests())
    #expect(one == two)
    #expect(Set(one.split(separator: "\n").map { $0.split(separator: " ").last }).count == 20)
  }
}
