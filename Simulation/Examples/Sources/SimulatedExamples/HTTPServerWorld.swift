import ArgumentParser
import UV
import UVSimulation

@testable import HTTPServer

/// NIO's handlers answer each request, and whole.
func httpServerWorld(_ world: World) throws {
  let server = world.host("server") { _ in
    var command = try HTTPServer.parse(["--host", "0.0.0.0", "--port", "80", "--loops", "2"])
    try await command.run()
  }
  let page = Bytes(repeating: UInt8(ascii: "x"), count: 65536)
  let expected = [
    Expected(path: "/", status: 200, body: "Hello, world\n"),
    Expected(path: "/page", status: 200, body: page),
    Expected(path: "/none", status: 404, body: nil),
    Expected(path: "/", status: 200, body: "Hello, world\n"),
    Expected(path: "/page", status: 200, body: page),
  ]
  try ask(server, in: world) { loop, _ in try await askHTTP(loop, expected) }
}
