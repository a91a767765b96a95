import Foundation
import Testing
import UV

/// The example that serves files, which is replaced while it serves, and which systemd starts.
@Suite(.serialized) final class FileServerRestartTests {
  private let root = FileManager.default.temporaryDirectory
    .appendingPathComponent("swift-uv-restart-\(UUID().uuidString)").path

  init() throws {
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    try Data("hello\n".utf8).write(to: URL(fileURLWithPath: "\(root)/hello"))
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  /// Sends requests until `isOver` says so, on connections that the server may keep, or each on its own. Throws if one
  /// is lost.
  private static func load(
    _ loop: EventLoop, _ port: Int, _ count: FileServerCount, isKept: Bool, _ isOver: () -> Bool
  ) async throws(UVError) {
    while !isOver() {
      let connection = try await loop.tcp.connect(host: "127.0.0.1", port: port).value
      defer { connection.close() }
      try await count.ask(connection) { !isKept || isOver() }
    }
  }

  /// What a program says until a line is the last one that is wanted, or until all that write there have ended.
  private static func lines(of program: RunningProgram, until isLast: (String) -> Bool) -> [String] {
    var lines: [String] = []
    while let line = try? program.line() {
      lines.append(line)
      if isLast(line) { break }
    }
    return lines
  }

  private static func number(in line: String, after word: String) throws -> Int {
    let rest = try #require(line.range(of: word).map { line[$0.upperBound...] })
    return try #require(Int(rest.drop { $0 == " " }.prefix { $0.isNumber }))
  }

  @Test("Under load, a server is replaced again and again, and loses no request", arguments: [1, 2])
  func replaced(loops: Int) async throws {
    let (server, port) = try RunningProgram.serving("FileServer", ["--root", root, "--loops", "\(loops)"])
    let number = try #require(Int(port))
    // Sound: one thread after the other uses it.
    nonisolated(unsafe) let program = server
    let replacements = 10
    let (answered, last, lines) = try await withLoop { loop in
      let count = FileServerCount()
      var (current, isOver, said) = (program.processID, false, [String]())
      try await loop.withTasks { tasks in
        for client in 0..<20 {
          tasks.spawn { try await Self.load(loop, number, count, isKept: client % 2 == 0) { isOver } }
        }
        for round in 1...replacements {
          while count.answered < round * 100 { try await loop.sleep(for: .milliseconds(1)).value }
          try loop.processes.kill(current, .hangup)
          let lines = try await loop.work { Self.lines(of: program) { $0.contains("takes over") } }.value
          said += lines
          current = Int32(try Self.number(in: try #require(lines.last), after: "process"))
        }
        isOver = true
      }
      return (count.answered, current, said)
    }
    kill(last, SIGTERM)
    // Each process says at its end how many requests it has answered.
    let ends = (lines + Self.lines(of: program) { _ in false }).filter { $0.hasPrefix("answered") }
    #expect(ends.count == replacements + 1)
    #expect(try ends.reduce(0) { try $0 + Self.number(in: $1, after: "answered") } == answered)
  }

  @Test("A successor that can't begin, or is killed before it is ready, leaves the server as it was")
  func failed() async throws {
    let (server, port) = try RunningProgram.serving("FileServer", ["--root", root])
    // It looks for its files at the beginning.
    try FileManager.default.moveItem(atPath: root, toPath: root + ".away")
    kill(server.processID, SIGHUP)
    try server.line(containing: "the successor ended with code")
    try FileManager.default.moveItem(atPath: root + ".away", toPath: root)
    let number = try #require(Int(port))
    try await withLoop { loop in
      let count = FileServerCount()
      try await Self.load(loop, number, count, isKept: false) { count.answered > 0 }
    }
    kill(server.processID, SIGTERM)
    #expect(try server.end().1 == 0)
  }

  @Test(
    "systemd's sockets are taken over by the address, and ready is sent by its protocol",
    .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/systemd-socket-activate"), "needs systemd"))
  func systemd() async throws {
    let root = root
    let port = try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      defer { listener.close() }
      return Int(try listener.localAddress().port)
    }
    let activator = try RunningProgram(
      [
        "/usr/bin/systemd-socket-activate", "-l", "127.0.0.1:\(port)", Checkout.program("FileServer").path,
        "--port", "\(port)", "--root", root,
      ], mergesErrors: true)
    try activator.line(containing: "Listening on")
    try await withLoop { loop in
      let count = FileServerCount()
      // The first connection starts the server, and waits for it.
      try await Self.load(loop, port, count, isKept: false) { count.answered == 3 }
    }
    try activator.line(containing: "listening on 127.0.0.1:\(port)")
    kill(activator.processID, SIGTERM)
    #expect(try activator.end().1 == 0)
  }
}
