import Foundation
import Testing
import UV

/// The example with a pool of connections, with Redis' own server and with the example that is one.
@Suite struct RedisClientTests {
  private static let commands = ["SET a 1", "INCRBY n 0", "GET a", "GET b", "LPUSH a x", "MGET a b"]

  @Test(
    "Commands of many tasks go over few connections to a real server",
    .enabled(if: Client.hasRedisServer, Client.howToInstall))
  func realServer() throws {
    let port = "\(try Self.freePort())"
    let server = try RunningProgram([
      "redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
    ])
    try server.line(containing: "Ready to accept connections")
    try check(port)
    // The answers come in the order of the commands, and the number says that none is lost.
    let (output, status) = try runProgram(
      Checkout.program("RedisClient"), ["--port", port, "--connections", "3", "--times", "500", "INCR n"])
    let lines = output.split(separator: "\n")
    #expect(status == 0)
    #expect(Set(lines.dropLast()) == Set((1...500).map { "\($0)" }.map { Substring($0) }))
    #expect(lines.last == "500 commands over 3 connections")
  }

  @Test("The client works with the example that is a server")
  func ownServer() throws {
    let (server, port) = try RunningProgram.serving("RedisServer", [])
    try check(port)
    server.terminate()
  }

  @Test("Without a server, the client says so after its attempts")
  func noServer() throws {
    let (output, status) = try runProgram(
      Checkout.program("RedisClient"), ["--port", "\(try Self.freePort())", "PING"])
    #expect(status != 0)
    #expect(output.contains("ECONNREFUSED"))
  }

  private func check(_ port: String) throws {
    let (output, status) = try runProgram(
      Checkout.program("RedisClient"), ["--port", port, "--connections", "1"] + Self.commands)
    #expect(status == 0)
    #expect(
      output == """
        OK
        0
        1
        (nil)
        WRONGTYPE Operation against a key holding the wrong kind of value
        [1, (nil)]
        6 commands over 1 connections

        """)
  }

  /// A port that nobody has at this moment.
  static func freePort() throws -> UInt16 {
    let loop = try EventLoop()
    defer { loop.shutdown() }
    let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
    defer { listener.close() }
    return try listener.localAddress().port
  }
}
