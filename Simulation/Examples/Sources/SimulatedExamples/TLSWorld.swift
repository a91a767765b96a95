import Foundation
import UV
import UVSimulation
import UVTLS

/// A certificate for the name "server", and its key. Hosts have neither the files nor the programs of the
/// machine, so it is made outside. It is valid for long because a world's date isn't today's.
let certificate: (chain: [UInt8], key: [UInt8]) = {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("simulated-\(UUID())")
  try! FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  let options = """
    req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem -out certificate.pem \
    -subj /CN=server -addext subjectAltName=DNS:server -days 10000
    """
  let openssl = Process()
  openssl.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
  openssl.arguments = options.split(separator: " ").map(String.init)
  openssl.currentDirectoryURL = folder
  openssl.standardError = FileHandle.nullDevice
  try! openssl.run()
  openssl.waitUntilExit()
  func bytes(_ name: String) -> [UInt8] {
    Array(try! Data(contentsOf: folder.appendingPathComponent(name)))
  }
  return (bytes("certificate.pem"), bytes("key.pem"))
}()

/// An encrypted echo loses nothing.
func tlsWorld(_ world: World) throws {
  let server = world.host("server") { loop in
    let identity = try TLSIdentity(certificateChain: "/etc/certificate.pem", privateKey: "/etc/key.pem")
    loop.shutdownGracefully(onSignals: [.terminate], within: .seconds(5)) { _ in }
    for try await connection in try loop.tls.listen(port: 443, .server(identity)) {
      _ = loop.spawn {
        do {
          for try await bytes in connection { try await connection.write(bytes).value }
          try await connection.shutdown().value
          connection.close()
        } catch { connection.close() }
      }
    }
  }
  world.write(certificate.chain, to: "/etc/certificate.pem", of: server)
  world.write(certificate.key, to: "/etc/key.pem", of: server)
  let root = certificate.chain
  try ask(server, in: world) { loop, number in
    let context = try TLSContext.client(trust: .certificates(pem: Bytes(root)))
    let connection = try await loop.tls.connect(host: "server", port: 443, context).value
    defer { connection.close() }
    try await checkEcho(loop, connection, number)
  }
}
