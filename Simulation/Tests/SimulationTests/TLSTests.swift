import Testing
import UV
import UVSimulation
import UVTLS
import WorldSupport

@Suite struct TLSTests {
  static func echo(_ seed: UInt64, _ weather: Weather) throws -> Simulation {
    try Simulation(seed: seed, weather: weather, traceLength: 1 << 16) { world in
      let server = world.host("server") { loop in
        let identity = try TLSIdentity(certificateChain: "/etc/certificate.pem", privateKey: "/etc/key.pem")
        try await loop.tls.listen(port: 443, .server(identity)).echo()
      }
      let client = world.client("client") { loop in
        try await loop.sleep(for: .milliseconds(10)).value
        let context = try TLSContext.client(trust: .certificates("/etc/root.pem"))
        let connection = try await loop.tls.connect(host: "server", port: 443, context).value
        for round in 1...10 {
          let message = Bytes((0..<round * 3000).map { UInt8(truncatingIfNeeded: $0 &* round) })
          let writing = loop.spawn { () async throws(UVError) in try await connection.write(message).value }
          #expect(try await connection.read(exactly: message.count).value == message)
          try await writing.value
        }
        try await connection.close().value
      }
      world.write(ServerCertificate.chain, to: "/etc/certificate.pem", of: server)
      world.write(ServerCertificate.privateKey, to: "/etc/key.pem", of: server)
      world.write(ServerCertificate.chain, to: "/etc/root.pem", of: client)
    }
  }

  @Test(
    "An encrypted echo in a storm loses nothing, and each byte of it is repeated by the seed",
    arguments: 1...5 as ClosedRange<UInt64>)
  func echo(seed: UInt64) throws {
    for weather in [Weather.calm, .storm] {
      let (one, two) = (try Self.echo(seed, weather), try Self.echo(seed, weather))
      #expect(one.digest == two.digest, "\(String(describing: one.firstDifference(from: two)))")
    }
  }
}
