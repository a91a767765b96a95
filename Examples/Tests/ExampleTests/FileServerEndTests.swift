import Foundation
import Testing
import UV

/// The example that serves files, which ends in good order under load.
@Suite final class FileServerEndTests {
  private let root = FileManager.default.temporaryDirectory
    .appendingPathComponent("swift-uv-end-\(UUID().uuidString)").path
  private let server: RunningProgram
  private let port: Int

  init() throws {
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    try Data("hello\n".utf8).write(to: URL(fileURLWithPath: "\(root)/hello"))
    let (server, port) = try RunningProgram.serving("FileServer", ["--root", root])
    self.server = server
    self.port = try #require(Int(port))
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  @Test("Under load, SIGTERM loses no request that a server has accepted", arguments: 0..<5)
  func underLoad(round: Int) async throws {
    let (processID, port) = (server.processID, port)
    let answered = try await withLoop { loop in
      let count = FileServerCount()
      try await loop.withTasks { tasks in
        for _ in 0..<100 {
          let connection = try await loop.tcp.connect(host: "127.0.0.1", port: port).value
          tasks.spawn { () async throws(UVError) in
            defer { connection.close() }
            do throws(UVError) { try await count.ask(connection) } catch { count.lost += 1 }
          }
        }
        // At once in the first round, so that connections wait to be accepted.
        while count.answered < round * 300 { try await loop.sleep(for: .milliseconds(1)).value }
        kill(processID, SIGTERM)
      }
      #expect(count.lost == 0)
      return count.answered
    }
    #expect(try server.end() == ("answered \(answered), cut off 0\n", 0))
    #expect(answered >= 100)
  }

  @Test("SIGUSR1 prints which connections wait, and the server goes on")
  func snapshot() async throws {
    // Sound: one thread after the other uses it.
    nonisolated(unsafe) let server = server
    let port = port
    try await withLoop { loop in
      let connection = try await loop.tcp.connect(host: "127.0.0.1", port: port).value
      for _ in 0..<2 {
        try await connection.write("HEAD /hello HTTP/1.1\r\nhost: localhost\r\n\r\n").value
        #expect(try await connection.read(until: "\r\n\r\n", limit: 4096).value != nil)
        server.sendUser1()
        let here = try connection.localAddress()
        try server.line(containing: "127.0.0.1:\(port) ↔ \(here)")
      }
      connection.close()
    }
    server.terminate()
    #expect(try server.end().status == 0)
  }

  @Test("An idle connection ends by itself when its server does")
  func idle() async throws {
    let (processID, port) = (server.processID, port)
    try await withLoop { loop in
      let connection = try await loop.tcp.connect(host: "127.0.0.1", port: port).value
      try await connection.write("HEAD /hello HTTP/1.1\r\nhost: localhost\r\n\r\n").value
      #expect(try await connection.read(until: "\r\n\r\n", limit: 4096).value != nil)
      kill(processID, SIGTERM)
      #expect(try await connection.next().value == nil)
      connection.close()
    }
    #expect(try server.end() == ("answered 1, cut off 0\n", 0))
  }
}
