import Testing
import UV
import UVSimulation

@Suite struct MulticastTests {
  static func received(
    _ group: String, any: String?, weather: Weather = .calm, hops: Int = 1, comesBack: Bool = true
  ) throws -> ([String: [Int]], Simulation) {
    let seen = Log<(String, Int)>()
    let run = try Simulation(seed: 1, weather: weather) { world in
      for name in ["a", "b", "c", "other", "sender"] {
        let isSender = name == "sender"
        let program: @Sendable (EventLoop) async throws -> Void = { loop in
          let socket = try loop.udp.bind(host: any, port: 53, options: .reuseAddress)
          if name != "other" { try socket.join(group: group) }
          let receiving = loop.spawn {
            do { for try await datagram in socket { seen.append((name, Int(datagram.bytes[0]))) } } catch {}
          }
          try await loop.sleep(for: .seconds(1)).value
          if isSender {
            try socket.setMulticastTTL(hops)
            try socket.setMulticastLoop(comesBack)
            let target = try SocketAddress(group, port: 53)
            for number in 0..<10 {
              try await socket.send(Bytes(repeating: UInt8(number), count: 1), to: target).value
            }
          }
          try await loop.sleep(for: .seconds(2)).value
          if name == "a" { try socket.leave(group: group) }
          try await loop.sleep(for: .seconds(2)).value
          if isSender {
            try await socket.send(Bytes(repeating: 99, count: 1), to: try SocketAddress(group, port: 53))
              .value
          }
          try await loop.sleep(for: .seconds(10)).value
          socket.close()
          try await receiving.value
        }
        world.client(name) { loop in try await program(loop) }
      }
    }
    var result: [String: [Int]] = [:]
    for (name, number) in seen.values { result[name, default: []].append(number) }
    return (result, run)
  }

  @Test(
    "What is sent to a group arrives at each host that has joined it",
    arguments: [
      ("239.1.2.3", "0.0.0.0"), ("ff02::1234", "::"), ("239.1.2.3", nil), ("ff02::1234", nil),
    ] as [(String, String?)]) func groups(group: String, any: String?) throws
  {
    let (seen, _) = try Self.received(group, any: any, weather: Weather(jitter: .zero))
    let all = Array(0..<10)
    #expect(Set(seen.keys) == ["a", "b", "c", "sender"])
    #expect(
      seen["a"]?.sorted() == all && seen["b"]?.sorted() == all + [99] && seen["c"]?.sorted() == all + [99])
    #expect(seen["sender"] == all + [99])
  }

  @Test("Without a hop it stays on the host, and without a loop it doesn't come back") func options() throws {
    let (near, _) = try Self.received("239.1.2.3", any: "0.0.0.0", hops: 0)
    #expect(Set(near.keys) == ["sender"])
    let (far, _) = try Self.received("239.1.2.3", any: "0.0.0.0", comesBack: false)
    #expect(Set(far.keys) == ["a", "b", "c"])
  }

  @Test("In a storm each copy has its own fate, which the seed repeats") func storm() throws {
    let (one, first) = try Self.received("239.1.2.3", any: "0.0.0.0", weather: .storm)
    let (two, second) = try Self.received("239.1.2.3", any: "0.0.0.0", weather: .storm)
    #expect(first.digest == second.digest && one == two)
    #expect(Set([one["a"], one["b"], one["c"]].map { $0 ?? [] }).count > 1)
  }
}
