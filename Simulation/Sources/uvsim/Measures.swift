import UV
import UVSimulation

/// Three hosts that say to each other every 100 ms that they live, for ten minutes.
func heartbeats(_ seed: UInt64) throws -> Simulation {
  let names = ["a", "b", "c"]
  return try Simulation(seed: seed) { world in
    for name in names {
      world.host(name) { loop in
        let listener = try loop.tcp.listen(port: 7000)
        _ = loop.spawn {
          do {
            for try await peer in listener {
              _ = loop.spawn { do { for try await _ in peer {} } catch {} }
            }
          } catch {}
        }
        var peers: [TCPConnection] = []
        for other in names where other != name {
          peers.append(try await loop.tcp.connect(host: other, port: 7000).value)
        }
        for try await _ in loop.ticks(every: .milliseconds(100)) {
          for peer in peers { try await peer.write(Bytes("alive\n".utf8)).value }
        }
      }
    }
    try world.sleep(for: .seconds(600))
    for host in world.hosts { world.crash(host) }
  }
}

/// An echo over one connection, by callbacks or by `async`.
func roundTrips(_ count: Int, _ seed: UInt64, byCallbacks: Bool) throws -> Simulation {
  try Simulation(seed: seed) { world in
    world.host("server") { loop in
      for try await connection in try loop.tcp.listen(port: 7) {
        if byCallbacks {
          connection.start { if case .success(let bytes?) = $0 { connection.write(bytes) { _ in } } }
        } else {
          _ = loop.spawn {
            do { for try await bytes in connection { try await connection.write(bytes).value } } catch {}
          }
        }
      }
    }
    world.client("client") { loop in
      let connection = try await loop.tcp.connect(host: "server", port: 7).value
      let message = Bytes(repeating: 7, count: 64)
      if byCallbacks {
        let _: Void = try await Request<Void>(loop) { done in
          var left = count
          connection.start { result in
            left -= 1
            if left > 0 { connection.write(message) { _ in } }
            if left == 0 { done(result.map { _ in }) }
          }
          connection.write(message) { _ in }
          return PendingRequest()
        }.value
      } else {
        for _ in 0..<count {
          try await connection.write(message).value
          _ = try await connection.read(exactly: 64).value
        }
      }
      connection.close()
    }
  }
}

func measure() throws {
  let clock = ContinuousClock()
  func timed(_ what: String, _ count: Int, _ body: () throws -> Simulation) rethrows {
    var run: Simulation?
    let time = try clock.measure { run = try body() }
    let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18
    print(
      "| \(what) | \(run!.duration) | \(Int(seconds * 1000)) ms | \(Int(Double(count) / seconds)) a second |")
  }
  print("| what | virtual time | real time | rate |")
  print("|---|---|---|---|")
  try timed("three hosts, a heartbeat each 100 ms (heartbeats)", 36_000) { try heartbeats(1) }
  for byCallbacks in [true, false] {
    let style = byCallbacks ? "callbacks" : "async"
    try timed("echo of 64 bytes, \(style) (round trips)", 300_000) {
      try roundTrips(300_000, 1, byCallbacks: byCallbacks)
    }
  }
}
