import Foundation
import Testing
import UV

/// Each state of each example's conversation ends by a total, although the peer goes on being useful.
///
/// No clock judges here. A program that doesn't end a connection is ended itself after a minute, and then
/// serves nobody else.
@Suite(.serialized) struct HostilePeerTests {
  static let request: Bytes = "GET /hello HTTP/1.1\r\nhost: x\r\n\r\n"

  static func upgrade(_ path: String = "/ws", then frames: [UInt8] = []) -> Bytes {
    let head =
      "GET \(path) HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\n"
      + "sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    return Bytes(Array(head.utf8) + frames)
  }

  /// A line in a frame, with a mask of zeros.
  static func line(_ text: String) -> [UInt8] {
    [0x81, 0x80 | UInt8(text.utf8.count), 0, 0, 0, 0] + text.utf8
  }

  static let peers: [HostilePeer] = [
    HostilePeer(
      state: "silent", example: "FileServer", options: ["--idle-timeout", "1"]),
    HostilePeer(
      state: "a head, a byte at a time", example: "FileServer", options: ["--head-timeout", "1"],
      opening: "GET /hello HTTP/1.1\r\nhost: x\r\n", drip: "x"),
    HostilePeer(
      state: "request after request", example: "FileServer", options: ["--lifetime", "1"], drip: request),
    HostilePeer(
      state: "an answer, a little at a time", example: "FileServer",
      options: ["--min-rate", "1000000000", "--idle-timeout", "2"],
      opening: "GET /large HTTP/1.1\r\nhost: x\r\n\r\n", appetite: 32 * 1024),
    HostilePeer(
      state: "farewell", example: "FileServer", options: ["--farewell", "1"], opening: "nonsense\r\n\r\n",
      drip: "x"),
    HostilePeer(
      state: "a body that nobody reads", example: "FileServer", options: ["--farewell", "1"],
      opening: "POST /hello HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n", drip: "x"),

    HostilePeer(state: "silent", example: "RedisServer", options: ["--idle-timeout", "1"]),
    HostilePeer(
      state: "an argument, a byte at a time", example: "RedisServer", options: ["--command-timeout", "1"],
      opening: "*2\r\n$3\r\nGET\r\n$100000\r\n", drip: "x"),
    HostilePeer(
      state: "argument after argument", example: "RedisServer", options: ["--command-timeout", "1"],
      opening: "*100000\r\n$6\r\nEXISTS\r\n", drip: "$1\r\nx\r\n"),
    HostilePeer(
      state: "a large argument, a byte at a time", example: "RedisServer",
      options: ["--command-timeout", "1"], opening: "*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1000000\r\n", drip: "x"),
    HostilePeer(
      state: "a line, a byte at a time", example: "RedisServer", options: ["--command-timeout", "1"],
      drip: "x"),
    HostilePeer(
      state: "command after command", example: "RedisServer", options: ["--lifetime", "1"],
      drip: "PING\r\n"),

    HostilePeer(
      state: "bytes in both directions", example: "Proxy", options: ["--lifetime", "1"], drip: "x"),
    HostilePeer(state: "silent", example: "Proxy", options: ["--idle-timeout", "1"]),

    HostilePeer(
      state: "name after name", example: "Chat", options: ["--name-timeout", "1"], opening: upgrade("/chat"),
      drip: Bytes(line(","))),
    HostilePeer(
      state: "line after line", example: "Chat", options: ["--lifetime", "1"],
      opening: upgrade("/chat", then: line("Mallory")), drip: Bytes(line("hello"))),
    HostilePeer(
      state: "a line, a byte at a time", example: "Chat",
      options: ["--lifetime", "1", "--max-line", "1000000"],
      opening: upgrade(
        "/chat", then: line("Mallory") + [0x81, 0xff, 0, 0, 0, 0, 0, 15, 0, 0, 0, 0, 0, 0]),
      drip: "x"),
    HostilePeer(
      state: "silent", example: "Chat", options: ["--idle-timeout", "1"],
      opening: upgrade("/chat", then: line("Mallory"))),
    HostilePeer(
      state: "no answer to a ping", example: "Chat", options: ["--patience", "1"],
      opening: upgrade("/chat", then: line("Mallory"))),

    HostilePeer(state: "silent", example: "HTTPServer", options: ["--idle-timeout", "1"]),
    HostilePeer(
      state: "a head, a field at a time", example: "HTTPServer", options: ["--request-timeout", "1"],
      opening: "GET / HTTP/1.1\r\n", drip: "x: y\r\n"),
    HostilePeer(
      state: "a body, a byte at a time", example: "HTTPServer", options: ["--request-timeout", "1"],
      opening: "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n", drip: "x"),
    HostilePeer(
      state: "request after request", example: "HTTPServer", options: ["--lifetime", "1"], drip: request),
    HostilePeer(
      state: "ping after ping over WebSocket", example: "HTTPServer", options: ["--lifetime", "1"],
      opening: upgrade(), drip: Bytes([0x89, 0x80, 0, 0, 0, 0])),
    HostilePeer(
      state: "a message, a frame at a time", example: "HTTPServer", options: ["--lifetime", "1"],
      opening: upgrade(), drip: Bytes([0x02, 0x81, 0, 0, 0, 0, 1])),
  ]

  /// The examples' options that are needed besides, such as the files that are served or the server behind a
  /// proxy.
  private func server(
    _ example: String, _ options: [String], _ directory: String, target: String
  ) throws -> (RunningProgram, port: Int) {
    let more =
      switch example {
      case "FileServer": ["--root", directory]
      case "Proxy": ["--to", "127.0.0.1:\(target)"]
      default: [String]()
      }
    let (server, port) = try RunningProgram.serving(example, options + more)
    return (server, try #require(Int(port)))
  }

  @Test("A peer that is useful for ever is ended by a total", arguments: peers)
  func isEnded(_ peer: HostilePeer) async throws {
    let directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("swift-uv-hostile-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try Data("hello\n".utf8).write(to: URL(fileURLWithPath: "\(directory)/hello"))
    let file = "\(directory)/large"
    _ = FileManager.default.createFile(atPath: file, contents: nil)
    truncate(file, 256 << 20)
    // A program is started outside of the loop's thread, which would keep what Foundation opens for it.
    let echo = try RunningProgram(example: "EchoServer", ["0"])
    let (server, port) = try server(peer.example, peer.options, directory, target: echo.port())
    try await withLoop { loop in
      let count = try await peer.attack(loop, port: port)
      #expect(count < 256 << 20)
      // Others are served as before.
      let other = try await loop.tcp.connect(host: "127.0.0.1", port: port).value
      other.close()
    }
    withExtendedLifetime((server, echo)) {}
  }
}
