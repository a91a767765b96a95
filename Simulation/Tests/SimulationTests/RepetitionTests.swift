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
