import Testing
import UV
import UVSimulation

/// Connecting to hosts of which some addresses don't answer (RFC 8305), by the world's clock.
@Suite struct ConnectTests {
  /// Connects to addresses of a host that nobody reaches and of one that answers.
  ///
  /// - Returns: How long it took at most.
  private func race(
    _ delays: ConnectDelays, seed: UInt64,
    _ addresses: @Sendable @escaping (_ dead: Int, _ alive: Int) -> [String]
  ) throws -> Duration {
    let took = Log<Duration>()
    try Simulation(seed: seed) { world in
      let dead = world.host("dead") { loop in
        let listener = try loop.tcp.listen(host: "::", port: 7)
        _ = try await listener.accept().value
      }
      let server = world.host("server") { loop in
        for try await connection in try loop.tcp.listen(host: "::", port: 7) {
          #expect(try await connection.next().value == nil)
          connection.close()
        }
      }
      let numbers = [dead, server].map { Int($0.address.split(separator: ".").last!)! }
      let client = world.client("client") { loop in
        let addresses = try addresses(numbers[0], numbers[1]).map { try SocketAddress($0, port: 7) }
        var open: Set<Int> = []
        for _ in 0..<3 {
          let clock = ContinuousClock()
          let begin = clock.now
          let connection = try await loop.tcp.connect(toAnyOf: addresses, delays: delays).value
          took.append(begin.duration(to: clock.now))
          #expect(try connection.peerAddress().host.hasSuffix("\(numbers[1])"))
          try await connection.close().value
          try await loop.sleep(for: .zero).value
          open.insert(SimulatedHost.openDescriptorsHere)
        }
        #expect(open.count == 1, "the sockets of the others are closed")
      }
      world.partition(client, dead)
    }
    return try #require(took.values.max())
  }

  @Test(
    "A black hole of IPv6 costs the delay of one attempt, and no more",
    arguments: 1...20 as ClosedRange<UInt64>)
  func blackHole(seed: UInt64) throws {
    let took = try race(ConnectDelays(), seed: seed) { ["10.0.0.\($1)", "fd00::\($0)"] }
    #expect(took >= .milliseconds(250) && took < .milliseconds(300), "\(took)")
  }

  @Test("Each address that doesn't answer costs its delay, in the order of the families")
  func several() throws {
    let delays = ConnectDelays(attempt: .milliseconds(100))
    let took = try race(delays, seed: 1) { ["10.0.0.\($0)", "10.0.0.\($1)", "fd00::\($0)", "fd00::\($0)"] }
    #expect(took >= .milliseconds(300) && took < .milliseconds(350), "\(took)")
  }

  @Test("A name whose lookups never end leaves nothing behind when its request times out")
  func deadline() throws {
    let took = Log<Duration>()
    try Simulation(seed: 1) { world in
      world.host("server") { _ in }
      world.setNames(latency: .seconds(100), jitter: .zero)
      world.client("client") { loop in
        let clock = ContinuousClock()
        let begin = clock.now
        do throws(UVError) {
          _ = try await loop.tcp.connect(host: "server", port: 7).timeout(after: .seconds(1)).value
          Issue.record("connected")
        } catch { #expect(error.code == .timedOut) }
        took.append(begin.duration(to: clock.now))
      }
    }
    #expect(try #require(took.values.first) < .seconds(2))
  }
}
