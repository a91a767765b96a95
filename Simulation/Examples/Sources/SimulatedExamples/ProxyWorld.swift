import ArgumentParser
import UV
import UVSimulation

@testable import Proxy

/// What a client sends through the proxy comes back from the echo behind it, and then the end.
func proxyWorld(_ world: World) throws {
  world.host("behind") { loop in
    for try await connection in try loop.tcp.listen(port: 7) {
      _ = loop.spawn {
        do {
          for try await bytes in connection { try await connection.write(bytes).value }
          try await connection.close().value
        } catch { connection.close() }
      }
    }
  }
  let server = world.program("server", isClient: false) {
    let command = try Proxy.parse(["--host", "0.0.0.0", "--port", "80", "--to", "behind:7"])
    try command.run()
  }
  try ask(server, in: world) { loop, number in
    let connection = try await loop.tcp.connect(host: "server", port: 80).value
    defer { connection.close() }
    try await checkEcho(loop, connection, number)
  }
}
