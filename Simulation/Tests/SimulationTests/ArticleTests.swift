import Foundation
import Testing
import UV
import UVSimulation
import UVSimulationTesting

func sumServer(_ loop: EventLoop) async throws {
  for try await connection in try loop.tcp.listen(port: 7) {
    _ = loop.spawn {
      var sum = 0
      do {
        while let line = try await connection.readLine(limit: 100).value {
          sum += Int(String(decoding: line, as: UTF8.self)) ?? 0
          try await connection.write(Bytes("\(sum)\n".utf8)).value
        }
      } catch {}
    }
  }
}

@Test(.simulated(seeds: 1...100, weather: .storm))
func theSumIsRight() throws {
  try Simulation { world in
    world.host("server", sumServer)
    world.client("client") { loop in
      let connection = try await loop.tcp.connect(host: "server", port: 7).value
      for number in 1...20 {
        try await connection.write(Bytes("\(number)\n".utf8)).value
        let answer = try await connection.readLine(limit: 100).value
        #expect(answer == Bytes("\(number * (number + 1) / 2)".utf8))
      }
      connection.close()
    }
  }
}

@Suite struct ArticleTests {
  @Test("The article's example is the one that is tested here") func article() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let here = try String(contentsOf: folder.appendingPathComponent("ArticleTests.swift"), encoding: .utf8)
    let path = "../../Sources/UVSimulation/UVSimulation.docc/BadNetworks.md"
    let article = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
    let code = try #require(here.range(of: "func sumServer").map { here[$0.lowerBound...] })
    let example = try #require(code.range(of: "\n@Suite").map { code[..<$0.lowerBound] })
    #expect(article.contains(example.trimmingCharacters(in: .whitespacesAndNewlines)))
  }
}
