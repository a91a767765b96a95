import ArgumentParser
import UV
import UVSimulation
import WorldSupport

@testable import FileServer

/// Each file arrives as it is, and what isn't there is reported.
func fileServerWorld(_ world: World) throws {
  let server = world.program("server", isClient: false) {
    let command = try FileServer.parse([
      "--host", "0.0.0.0", "--port", "80", "--root", "/tmp", "--loops", "2",
    ])
    try command.run()
  }
  // The large one goes from the file to the connection inside the system, and stays open.
  let (small, large) = (message(1, 700), message(2, 150_000))
  world.write(small, to: "/tmp/small", of: server)
  world.write(large, to: "/tmp/large", of: server)
  let expected = [
    Expected(path: "/small", status: 200, body: small), Expected(path: "/none", status: 404, body: nil),
    Expected(path: "/large", status: 200, body: large), Expected(path: "/small", status: 200, body: small),
    Expected(path: "/", status: 200, body: nil), Expected(path: "/large", status: 200, body: large),
  ]
  try ask(server, in: world, kept: 2) { loop, _ in try await askHTTP(loop, expected) }
}
