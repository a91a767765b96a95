import UV
import UVSimulation
import UVTLS
import WorldSupport

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
  world.write(ServerCertificate.chain, to: "/etc/certificate.pem", of: server)
  world.write(ServerCertificate.privateKey, to: "/etc/key.pem", of: server)
  try ask(server, in: world) { loop, number in
    let context = try TLSContext.client(trust: .certificates(pem: ServerCertificate.chain))
    let connection = try await loop.tls.connect(host: "server", port: 443, context).value
    defer { connection.close() }
    try await checkEcho(loop, connection, number)
  }
}
