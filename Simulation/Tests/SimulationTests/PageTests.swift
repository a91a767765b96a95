import Foundation
import Testing
import UV
import UVSimulation

@Suite struct PageTests {
  @Test(
    "The page of a failing run has a lane for each host, arrows for what was sent, and what was done to the world"
  )
  func page() throws {
    struct Broken: Error {}
    let error = try #require(
      #expect(throws: SimulationError.self) {
        try Simulation(seed: 1) { world in
          let server = world.host("<server>") { loop in
            for try await connection in try loop.tcp.listen(port: 7) {
              for try await bytes in connection { try await connection.write(bytes).value }
            }
          }
          let client = world.host("client") { loop in
            let connection = try await loop.tcp.connect(host: server.address, port: 7).value
            for _ in 0..<3 {
              try await connection.write(Bytes(repeating: 1, count: 77)).value
              _ = try await connection.read(exactly: 77).value
              try await loop.sleep(for: .seconds(1)).value
            }
            throw Broken()
          }
          try world.sleep(for: .milliseconds(1500))
          world.hold(server, client)
          try world.sleep(for: .milliseconds(900))
          world.release(server, client)
        }
      })
    let page = error.page
    #expect(
      page.contains(#"class="host">&lt;server&gt;</text>"#) && page.contains(#"class="host">client</text>"#))
    #expect(page.components(separatedBy: #"class="arrow""#).count >= 7)
    #expect(page.contains("77 bytes arrive") && page.contains("the run failed here"))
    #expect(!page.contains("eventfd") && page.contains("hold &lt;server&gt; – client"))
    #expect(page.contains("threw an error: Broken()"))
    #expect(!page.contains("<server>"))
  }

  @Test("A failing run writes its page to the path in UV_SIMULATION_PAGE") func environment() throws {
    struct Broken: Error {}
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("uvsim-\(UUID()).html")
    setenv("UV_SIMULATION_PAGE", path.path, 1)
    defer {
      unsetenv("UV_SIMULATION_PAGE")
      try? FileManager.default.removeItem(at: path)
    }
    try Simulation(seed: 1) { _ in }
    #expect(!FileManager.default.fileExists(atPath: path.path))
    let error = #expect(throws: SimulationError.self) { try Simulation(seed: 1) { _ in throw Broken() } }
    #expect(try String(contentsOf: path, encoding: .utf8) == error?.page)
  }
}
