import Testing
import UV
import UVSimulation

/// Groups of processes, and the names of a host's own file.
@Suite struct GroupTests {
  @Test func `A signal to a group ends its members and nobody else`() throws {
    let ends = Log<Int?>()
    try Simulation(seed: 1) { world in
      world.executable("waits") { loop, _ in
        try await loop.sleep(for: .seconds(1000)).value
        return 0
      }
      world.executable("leads") { loop, _ in
        let member = try loop.processes.spawn("waits")
        _ = try await member.exit().value
        return 0
      }
      world.client("a") { loop in
        let leader = try loop.processes.spawn("leads", isDetached: true)
        let other = try loop.processes.spawn("waits")
        try await loop.sleep(for: .seconds(1)).value
        try loop.processes.kill(-leader.processID, .terminate)
        ends.append(try await leader.exit().value.signal.map { Int($0.rawValue) })
        #expect(throws: UVError.self) { try loop.processes.kill(-leader.processID, Signal(rawValue: 0)) }
        #expect(other.exitStatus == nil)
        try other.kill(.kill)
        ends.append(try await other.exit().value.signal.map { Int($0.rawValue) })
      }
    }
    #expect(ends.values == [15, 9])
  }

  @Test func `A host's own file of names is asked before the names of the world`() throws {
    let found = Log<[String]>()
    try Simulation(seed: 1) { world in
      let server = world.host("server") { loop in try await loop.sleep(for: .seconds(1)).value }
      let address = server.address
      world.client("a") { loop in
        func look(_ name: String) async throws -> [String] {
          try await loop.dns.resolve(name).value.map(\.host)
        }
        #expect(try await look("server").first == address)
        let text = Bytes("# names\n10.9.8.7 other SERVER # more\nnonsense server\nfd00::9 server\n")
        try await loop.files.writeFile("/etc/hosts", text).value
        found.append(try await look("server"))
      }
    }
    #expect(found.values.first == ["10.9.8.7", "fd00::9"])
  }
}
