import Testing
import UV
import UVSimulation

@Suite struct SignalTests {
  @Test("A signal reaches the host that it is sent to, and ends one without a handler") func signals() throws
  {
    let seen = Log<String>()
    try Simulation(seed: 1) { world in
      let first = world.host("first") { loop in
        for try await signal in try loop.signals(.terminate).prefix(2) {
          seen.append("first \(signal.rawValue)")
        }
      }
      let second = world.host("second") { loop in
        for try await signal in try loop.signals(.terminate).prefix(1) {
          seen.append("second \(signal.rawValue)")
        }
      }
      let third = world.host("third") { loop in
        try await loop.sleep(for: .seconds(100)).value
        seen.append("third ends")
      }
      try world.sleep(for: .seconds(1))
      world.signal(first, .terminate)
      try world.sleep(for: .seconds(1))
      world.signal(first, .terminate)
      world.signal(third, .terminate)
      try world.sleep(for: .seconds(1))
      #expect(first.hasEnded && !second.hasEnded && third.hasEnded)
      world.signal(second, .terminate)
    }
    #expect(seen.values == ["first 15", "first 15", "second 15"])
  }

  @Test("A server that shuts down on a signal answers what it has begun") func gracefulShutdown() throws {
    let answered = Log<Int>()
    try Simulation(seed: 1, weather: .usual) { world in
      let server = world.host("server") { loop in
        let listener = try loop.tcp.listen(port: 7)
        loop.shutdownGracefully(onSignals: [.terminate], within: .seconds(30)) { _ in }
        for try await connection in listener {
          _ = loop.spawn {
            do {
              for try await bytes in connection {
                try await loop.sleep(for: .seconds(5)).value
                try await connection.write(bytes).value
              }
            } catch {}
          }
        }
      }
      world.host("client") { loop in
        let connection = try await loop.tcp.connect(host: "server", port: 7).value
        try await connection.write(Bytes(repeating: 1, count: 1)).value
        if try await connection.read(exactly: 1).value != nil { answered.append(1) }
        connection.close()
      }
      try world.sleep(for: .seconds(2))
      world.signal(server, .terminate)
    }
    #expect(answered.values == [1])
  }
}
