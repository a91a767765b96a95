import Testing
import UV
import UVSimulation

@Suite struct NetworkTests {
  /// Sends lines back and forth, and compares what comes with what was sent. Nothing is lost and nothing is
  /// doubled.
  static func echo(_ seed: UInt64, _ weather: Weather, byCallbacks: Bool) throws -> Simulation {
    try Simulation(seed: seed, weather: weather, traceLength: 1 << 16) { world in
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
        for round in 1...20 {
          let message = Bytes((0..<round * 1000).map { UInt8(truncatingIfNeeded: $0 &* round) })
          let writing = loop.spawn { () async throws(UVError) in try await connection.write(message).value }
          let answer = try await connection.read(exactly: message.count).value
          #expect(answer == message)
          try await writing.value
        }
        try await connection.close().value
      }
    }
  }

  @Test(
    "An echo in a storm loses no byte and doubles none, and is repeated by its seed",
    arguments: [false, true])
  func storms(byCallbacks: Bool) throws {
    var digests: Set<UInt64> = []
    for seed in 1...20 as ClosedRange<UInt64> {
      let one = try Self.echo(seed, .storm, byCallbacks: byCallbacks)
      let two = try Self.echo(seed, .storm, byCallbacks: byCallbacks)
      #expect(one.digest == two.digest, "seed \(seed): \(String(describing: one.firstDifference(from: two)))")
      digests.insert(one.digest)
    }
    #expect(digests.count == 20)
  }

  @Test("What is sent in a storm arrives in parts") func parts() throws {
    let sizes = Log<Int>()
    try Simulation(seed: 1, weather: .storm) { world in
      world.host("server") { loop in
        let listener = try loop.tcp.listen(port: 7)
        let connection = try await listener.accept().value
        for try await bytes in connection { sizes.append(bytes.count) }
      }
      world.host("client") { loop in
        let connection = try await loop.tcp.connect(host: "server", port: 7).value
        try await connection.write(Bytes(repeating: 1, count: 50_000)).value
        connection.close()
      }
    }
    #expect(sizes.values.reduce(0, +) == 50_000)
    #expect(sizes.values.count > 5)
  }

  @Test("A reader that doesn't read holds its writer back") func backPressure() throws {
    let written = Log<Int>()
    try Simulation(seed: 1) { world in
      let server = world.host("server") { loop in
        let listener = try loop.tcp.listen(port: 7)
        let connection = try await listener.accept().value
        try await loop.sleep(for: .seconds(10)).value
        let before = written.values.count
        #expect(before > 1 && before < 100)
        var count = 0
        for try await bytes in connection { count += bytes.count }
        #expect(count == 10_000_000)
      }
      world.host("client") { loop in
        let connection = try await loop.tcp.connect(host: server.address, port: 7).value
        for round in 0..<1000 {
          try await connection.write(Bytes(repeating: 1, count: 10_000)).value
          written.append(round)
        }
        connection.close()
      }
    }
    #expect(written.values.count == 1000)
  }

  @Test("Nobody listens, nobody answers, and nobody has that name") func failures() throws {
    let run = try Simulation(seed: 1) { world in
      let server = world.host("server") { _ in }
      let lost = world.host("lost") { _ in }
      world.host("client") { loop in
        for (host, code) in [(server.address, UVError.Code.connectionRefused), (lost.address, .timedOut)] {
          do {
            _ = try await loop.tcp.connect(host: host, port: 7).value
            Issue.record("connected with \(host)")
          } catch let error as UVError { #expect(error.code == code) }
        }
        await #expect(throws: UVError.self) { _ = try await loop.tcp.connect(host: "nobody", port: 7).value }
      }
      world.partition(world.hosts[2], lost)
    }
    #expect(run.duration > .seconds(60))
  }

  @Test("TCP reports the round-trip time of its link") func roundTrips() throws {
    try Simulation(seed: 1) { world in
      let server = world.host("server") { loop in
        _ = try await loop.tcp.listen(port: 7).accept().value.next().value
      }
      let client = world.client("client") { loop in
        let connection = try await loop.tcp.connect(host: "server", port: 7).value
        let information = try connection.tcpInformation()
        #expect(information.roundTripTime == .milliseconds(44))
        #expect(information.roundTripVariation == .milliseconds(4))
        connection.close()
      }
      world.setLatency(.milliseconds(20), jitter: .milliseconds(4), between: server, and: client)
    }
  }

  @Test("Names are slow or fail, a link has a latency of its own, and the weather changes") func changes()
    throws
  {
    let took = Log<Duration>()
    let errors = Log<UVError.Code>()
    try Simulation(seed: 1) { world in
      let server = world.host("server") { loop in
        for try await connection in try loop.tcp.listen(port: 7) {
          for try await bytes in connection { try await connection.write(bytes).value }
        }
      }
      world.setNames(latency: .seconds(2), jitter: .zero)
      let client = world.client("client") { loop in
        let clock = ContinuousClock()
        func echo(_ connection: TCPConnection) async throws(UVError) {
          try await connection.write("hello").value
          _ = try await connection.read(exactly: 5).timeout(after: .seconds(5)).value
        }
        var begin = clock.now
        let connection = try await loop.tcp.connect(host: "server", port: 7).value
        took.append(begin.duration(to: clock.now))
        try await loop.sleep(for: .seconds(10)).value
        do throws(UVError) { _ = try await loop.tcp.connect(host: "server", port: 7).value } catch {
          errors.append(error.code)
        }
        begin = clock.now
        try await echo(connection)
        took.append(begin.duration(to: clock.now))
        try await loop.sleep(for: .seconds(20)).value
        begin = clock.now
        try await echo(connection)
        took.append(begin.duration(to: clock.now))
        connection.close()
      }
      try world.sleep(for: .seconds(5))
      world.setNames(fail: true)
      world.setLatency(.seconds(1), between: server, and: client)
      try world.sleep(for: .seconds(20))
      world.setWeather(Weather(loss: 1))
    }
    #expect(errors.values == [.nameServerFailure])
    // A name, then an echo by a slow link, then one in a weather that is the link's, too: each packet is lost
    // once.
    let times = [2000, 2000, 400].map { Duration.milliseconds($0) }
    #expect(took.values.count == times.count)
    for (time, least) in zip(took.values, times) {
      #expect(time >= least && time < least + .milliseconds(100), "\(time)")
    }
  }
}
