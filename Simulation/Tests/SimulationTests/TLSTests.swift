import Foundation
import Testing
import UV
import UVSimulation
import UVTLS

@Suite struct TLSTests {
  /// A certificate for the name "server", and its key. They are valid for so long because a world's date
  /// isn't today's.
  static let files: (certificate: [UInt8], key: [UInt8]) = {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("simulation-\(UUID())")
    try! FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let options = """
      req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem -out certificate.pem \
      -subj /CN=server -addext subjectAltName=DNS:server -days 10000
      """
    try! runProgram(
      URL(fileURLWithPath: "/usr/bin/openssl"), options.split(separator: " ").map(String.init), in: directory)
    func bytes(_ name: String) -> [UInt8] {
      Array(try! Data(contentsOf: directory.appendingPathComponent(name)))
    }
    return (bytes("certificate.pem"), bytes("key.pem"))
  }()

  static func echo(_ seed: UInt64, _ weather: Weather) throws -> Simulation {
    // Made outside: hosts have neither the files nor the programs of the machine.
    let files = files
    return try Simulation(seed: seed, weather: weather, traceLength: 1 << 16) { world in
      let server = world.host("server") { loop in
        let identity = try TLSIdentity(certificateChain: "/etc/certificate.pem", privateKey: "/etc/key.pem")
        for try await connection in try loop.tls.listen(port: 443, .server(identity)) {
          _ = loop.spawn {
            do { for try await bytes in connection { try await connection.write(bytes).value } } catch {}
          }
        }
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
      world.write(files.certificate, to: "/etc/certificate.pem", of: server)
      world.write(files.key, to: "/etc/key.pem", of: server)
      world.write(files.certificate, to: "/etc/root.pem", of: client)
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
