import Testing
import UV
import UVSimulation

@Suite struct BandwidthTests {
  /// Sends so many bytes to a reader, and returns when they were written and when they were read.
  ///
  /// - Parameters:
  ///   - pause: How long the reader waits before it reads.
  ///   - prepare: Sets the bandwidth.
  static func send(
    _ count: Int, seed: UInt64 = 1, weather: Weather = .calm, pause: Duration = .zero,
    _ prepare: @escaping (World, SimulatedHost, SimulatedHost) -> Void = { _, _, _ in }
  ) throws -> (run: Simulation, written: Duration, read: Duration) {
    let (written, read) = (Log<Duration>(), Log<Duration>())
    let bytes = Bytes((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) })
    let run = try Simulation(seed: seed, weather: weather, traceLength: 1 << 16) { world in
      let server = world.host("server") { loop in
        let start = loop.clock.now
        let connection = try await loop.tcp.listen(port: 7).accept().value
        try await loop.sleep(for: pause).value
        #expect(try await connection.read(exactly: count).value == bytes)
        read.append(start.duration(to: loop.clock.now))
      }
      let client = world.host("client") { loop in
        let start = loop.clock.now
        try await loop.sleep(for: .milliseconds(1)).value
        let connection = try await loop.tcp.connect(host: "server", port: 7).value
        try await connection.write(bytes).value
        written.append(start.duration(to: loop.clock.now))
        _ = try? await connection.next().value
        connection.close()
      }
      prepare(world, server, client)
    }
    return (run, written.values[0], read.values[0])
  }

  @Test("So many bytes take as long as the link takes for them") func time() throws {
    let free = try Self.send(1_000_000)
    #expect(free.read < .milliseconds(100), "\(free.read)")
    let bound = try Self.send(1_000_000) { $0.setBandwidth(100_000, between: $1, and: $2) }
    #expect(bound.read > .seconds(10) && bound.read < .milliseconds(10_100), "\(bound.read)")
  }

  @Test("A writer waits for the link once the buffers are full, and no longer than it takes") func pressure()
    throws
  {
    let count = 10_000_000
    let (_, written, read) = try Self.send(count) { $0.setBandwidth(1_000_000, between: $1, and: $2) }
    #expect(read > .seconds(10) && read < .milliseconds(10_100), "\(read)")
    // What the sender's buffer holds is written, though it isn't sent.
    #expect(written > .seconds(5) && written < read, "\(written)")
    // A reader that is slower than the link is waited for as ever.
    let slow = try Self.send(count, pause: .seconds(100)) { $0.setBandwidth(1_000_000, between: $1, and: $2) }
    #expect(slow.written > .seconds(100) && slow.read < .seconds(111), "\(slow.written), \(slow.read)")
  }

  @Test("Two connections share a link, and the other direction is free") func shares() throws {
    let ends = Log<Duration>()
    try Simulation(seed: 1) { world in
      let server = world.host("server") { loop in
        for try await connection in try loop.tcp.listen(port: 7) {
          loop.spawn {
            while let bytes = try? await connection.next().value { connection.write(bytes) { _ in } }
            connection.close()
          }
        }
      }
      let client = world.client("client") { loop in
        let start = loop.clock.now
        try await loop.sleep(for: .milliseconds(1)).value
        let tasks = (0..<2).map { _ in
          loop.spawn { () async throws(UVError) in
            let connection = try await loop.tcp.connect(host: "server", port: 7).value
            try await connection.write(Bytes(repeating: 1, count: 500_000)).value
            _ = try await connection.read(exactly: 500_000).value
            ends.append(start.duration(to: loop.clock.now))
            connection.close()
          }
        }
        for task in tasks { try await task.value }
      }
      world.setBandwidth(100_000, between: server, and: client)
    }
    // The way back is filled while the other one still is: else it would take twenty.
    #expect(ends.values.max()! > .seconds(10) && ends.values.max()! < .seconds(15), "\(ends.values)")
  }

  @Test("Datagrams wait for the link, and those that would wait for long are dropped") func datagrams() throws
  {
    let times = Log<Duration>()
    try Simulation(seed: 1) { world in
      let server = world.host("server") { loop in
        let start = loop.clock.now
        let socket = try loop.udp.bind(host: "0.0.0.0", port: 7)
        for try await _ in socket { times.append(start.duration(to: loop.clock.now)) }
      }
      let client = world.client("client") { loop in
        try await loop.sleep(for: .milliseconds(1)).value
        let socket = try loop.udp.bind(host: "0.0.0.0", port: 0)
        let target = try SocketAddress(server.address, port: 7)
        for _ in 0..<50 {
          try await socket.send(Bytes(repeating: 1, count: 1000), to: target).value
        }
        try await loop.sleep(for: .seconds(10)).value
        socket.close()
      }
      world.setBandwidth(10_000, between: server, and: client)
    }
    // Ten a second.
    #expect((10...12).contains(times.values.count), "\(times.values)")
    #expect(times.values.last! > .seconds(1) && times.values.last! < .milliseconds(1300))
  }

  @Test(
    "The weather draws how much a link carries, and the seed repeats it",
    arguments: 1...5 as ClosedRange<UInt64>)
  func weather(seed: UInt64) throws {
    var weather = Weather.storm
    weather.bandwidth = 20_000
    let (one, two) = (
      try Self.send(100_000, seed: seed, weather: weather),
      try Self.send(100_000, seed: seed, weather: weather)
    )
    #expect(one.run.digest == two.run.digest, "\(String(describing: one.run.firstDifference(from: two.run)))")
    #expect(one.read > .seconds(5), "\(one.read)")
    weather = .calm
    weather.bandwidth = 20_000
    let calm = try Self.send(100_000, seed: seed, weather: weather).read
    #expect(calm > .seconds(5) && calm < .milliseconds(10_100), "\(calm)")
  }
}
