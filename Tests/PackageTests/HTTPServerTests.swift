import Foundation
import Testing
import UV
import UVTestSupport

/// The example of an HTTP server, which ends in good order under load.
@Suite struct HTTPServerTests {
  /// The server, and the port that it listens on.
  static func start() throws -> (process: Process, output: FileHandle, port: Int) {
    let process = Process()
    process.executableURL = try Checkout.program("HTTPServer")
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let line = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
    return (
      process, pipe.fileHandleForReading,
      try #require(line.split(separator: ":").last.flatMap { Int($0.dropLast()) })
    )
  }

  /// The end of a server that was told to end.
  static func end(_ process: Process, _ output: FileHandle) throws -> String {
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: try output.readToEnd() ?? Data(), as: UTF8.self)
  }

  /// What the clients of one run have seen.
  final class Count {
    var answered = 0
    var lost = 0
  }

  /// Sends request after request on one connection, until the server says that an answer was the last one.
  static func send(_ connection: TCPConnection, _ count: Count) async throws(UVError) {
    var isLast = false
    while !isLast {
      do throws(UVError) {
        try await connection.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n").value
        guard let head = try await connection.read(until: "\r\n\r\n", limit: 4096).value,
          try await connection.read(exactly: 6).value == "hello\n"
        else {
          count.lost += 1
          return
        }
        count.answered += 1
        isLast = String(decoding: head, as: UTF8.self).contains("connection: close")
      } catch {
        count.lost += 1
        return
      }
    }
    #expect(try await connection.read().value == nil)
  }

  @Test("Under load, SIGTERM loses no request that a server has accepted", arguments: 0..<5)
  func underLoad(round: Int) async throws {
    let (process, output, port) = try Self.start()
    let answered = try await withLoop { loop in
      let count = Count()
      try await loop.withTasks { tasks in
        for _ in 0..<100 {
          let connection = try await loop.tcp.connect(host: "127.0.0.1", port: port).value
          tasks.spawn { () async throws(UVError) in
            defer { connection.close() }
            try await Self.send(connection, count)
          }
        }
        // At once in the first round, so that connections wait to be accepted.
        while count.answered < round * 300 { try await loop.sleep(for: .milliseconds(1)).value }
        process.terminate()
      }
      #expect(count.lost == 0)
      return count.answered
    }
    #expect(try Self.end(process, output) == "answered \(answered), cut off 0\n")
    #expect(answered >= 100)
  }

  @Test("An idle connection ends by itself when its server does")
  func idle() async throws {
    let (process, output, port) = try Self.start()
    try await withLoop { loop in
      let connection = try await loop.tcp.connect(host: "127.0.0.1", port: port).value
      try await connection.write("HEAD / HTTP/1.1\r\n\r\n").value
      #expect(try await connection.read(until: "\r\n\r\n", limit: 4096).value != nil)
      process.terminate()
      #expect(try await connection.read().value == nil)
      connection.close()
    }
    #expect(try Self.end(process, output) == "answered 1, cut off 0\n")
  }

  @Test("The server answers what it does not understand, for the last time")
  func otherRequests() async throws {
    let (process, output, port) = try Self.start()
    for (request, status) in [
      ("POST / HTTP/1.1\r\n\r\nbody", "405"), ("nonsense\r\n\r\n", "400"), ("GET / HTTP/1.0\r\n\r\n", "200"),
    ] {
      try await withLoop { loop in
        let connection = try await loop.tcp.connect(host: "127.0.0.1", port: port).value
        try await connection.write(Bytes(request)).value
        let answer = String(decoding: try await connection.readToEnd(limit: 4096).value, as: UTF8.self)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
        #expect(answer.contains("connection: close\r\n"))
        connection.close()
      }
    }
    process.terminate()
    #expect(try Self.end(process, output) == "answered 3, cut off 0\n")
  }
}
