import Foundation
import Testing
import UV

/// Peers that ask for much and read nothing cost a bounded amount of memory, while they do it and afterwards.
@Suite(.serialized, .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/statm")))
struct HostileMemoryTests {
  private static let megabyte = 1 << 20

  private func serving(_ example: String, _ options: String...) throws -> (RunningProgram, port: Int) {
    let (server, port) = try RunningProgram.serving(example, options)
    return (server, try #require(Int(port)))
  }

  /// A command with one argument many times.
  private func command(_ name: String, _ argument: String, _ count: Int) -> Bytes {
    var text = BytesBuilder(capacity: 32 + count * (argument.utf8.count + 8))
    text.append("*\(count + 1)\r\n$\(name.utf8.count)\r\n\(name)\r\n")
    let argument = Bytes("$\(argument.utf8.count)\r\n\(argument)\r\n")
    for _ in 0..<count { text.append(argument) }
    return text.takeBytes()
  }

  private func ask(_ connection: TCPConnection, _ command: Bytes) async throws -> String {
    try await connection.write(command).value
    let line = try #require(try await connection.readLine(limit: 1000).value)
    return String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test("A command of a million empty arguments is refused, and one of fewer leaves nothing behind")
  func arguments() async throws {
    let (server, port) = try serving("RedisServer")
    let processID = server.processID
    try await withLoop { loop in
      for count in [1 << 20, (1 << 20) - 1] {
        let client = try await loop.tcp.connect(host: "127.0.0.1", port: port).value
        // The server says why, and may have reset the connection before this client has sent everything.
        do throws(UVError) {
          try await client.write(command("EXISTS", "", count)).value
          #expect(try await client.readLine(limit: 1000).value?.starts(with: "-ERR Protocol error: ") == true)
        } catch { #expect([.connectionReset, .brokenPipe].contains(error.code)) }
        client.close()
      }
      var clients: [TCPConnection] = []
      let before = try residentMemory(of: processID)
      for _ in 0..<8 {
        let client = try await loop.tcp.connect(host: "127.0.0.1", port: port).value
        #expect(try await ask(client, command("EXISTS", "", 600_000)) == ":0")
        clients.append(client)
      }
      // Each took 50 MiB while it was executed.
      #expect(try residentMemory(of: processID) - before < 96 * Self.megabyte)
      for client in clients { client.close() }
    }
  }

  @Test(
    "A client that names one value very often and reads nothing costs what its command does",
    arguments: [15_000, 17_000])
  func manyTimes(size: Int) async throws {
    let (server, port) = try serving("RedisServer", "--command-timeout", "3")
    let processID = server.processID
    try await withLoop { loop in
      let client = try await loop.tcp.connect(host: "127.0.0.1", port: port).value
      let value = String(repeating: "x", count: size)
      #expect(try await ask(client, Bytes("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$\(size)\r\n\(value)\r\n")) == "+OK")
      let before = try residentMemory(of: processID)
      // The answer is of eight gigabytes and more.
      try await client.write(command("MGET", "k", 500_000)).value
      // Many `GET`s in one chunk, which are answered a portion at a time, too.
      let second = try await loop.tcp.connect(host: "127.0.0.1", port: port).value
      try await second.write(Bytes(String(repeating: "GET k\n", count: 100_000))).value
      let third = try await loop.tcp.connect(host: "127.0.0.1", port: port).value
      #expect(try await ask(third, "PING\n") == "+PONG")
      #expect(try residentMemory(of: processID) - before < 192 * Self.megabyte)
      // The limit of a command ends both, since they don't read.
      while try await !info(third, "connected_clients:1") {
        try await loop.sleep(for: .milliseconds(20)).value
      }
      #expect(try await info(third, "used_memory_pending:0"))
      for connection in [client, second, third] { connection.close() }
    }
  }

  private func info(_ connection: TCPConnection, _ line: String) async throws -> Bool {
    try await connection.write("INFO\n").value
    var hasLine = false
    let head = try #require(try await connection.readLine(limit: 100).value)
    let count = try #require(
      Int(String(decoding: head.dropFirst(), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)))
    let text = try #require(try await connection.read(exactly: count + 2).value)
    hasLine = String(decoding: text, as: UTF8.self).contains("\(line)\r\n")
    return hasLine
  }

  @Test(
    "A long answer comes whole and in order to a client that reads it",
    arguments: ["callback", "promise", "publisher", "async"])
  func whole(style: String) async throws {
    let (server, port) = try serving("RedisServer", "--style", style)
    try await withLoop { loop in
      let client = try await loop.tcp.connect(host: "127.0.0.1", port: port).value
      let value = String(repeating: "x", count: 15_000)
      #expect(try await ask(client, Bytes("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$15000\r\n\(value)\r\n")) == "+OK")
      let (count, pushes) = (2000, 10_000)
      var commands = BytesBuilder()
      commands.append(command("MGET", "k", count))
      for number in 0..<pushes { commands.append("RPUSH l \(number)\n") }
      commands.append("LRANGE l 0 -1\nLPOP l 5000\nLLEN l\nPING\n")
      let sending = loop.spawn { () async throws(UVError) in
        try await client.write(commands.takeBytes()).value
      }
      try await expect(client, "*\(count)")
      for _ in 0..<count {
        try await expect(client, "$15000")
        #expect(try await client.read(exactly: 15_002).value?.count == 15_002)
      }
      for number in 0..<pushes { try await expect(client, ":\(number + 1)") }
      for length in [pushes, 5000] {
        try await expect(client, "*\(length)")
        for number in 0..<length {
          try await expect(client, "$\("\(number)".count)")
          try await expect(client, "\(number)")
        }
      }
      try await expect(client, ":5000")
      try await expect(client, "+PONG")
      try await sending.value
      client.close()
    }
    server.terminate()
    #expect(try server.end().status == 0)
  }

  private func expect(_ connection: TCPConnection, _ text: String) async throws {
    let line = try #require(try await connection.readLine(limit: 100).value)
    #expect(String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines) == text)
  }

  @Test("A large value that comes a few bytes at a time takes about as much memory as it has bytes")
  func smallPieces() async throws {
    let (server, port) = try serving("RedisServer")
    let processID = server.processID
    try await withLoop { loop in
      let client = try await loop.tcp.connect(host: "127.0.0.1", port: port).value
      try client.setNoDelay()
      let count = 1 << 20
      try await client.write(Bytes("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$\(count)\r\n")).value
      let before = try residentMemory(of: processID)
      for _ in 0..<(count / 16) { try await client.write("0123456789abcdef").value }
      #expect(try await ask(client, "\r\n") == "+OK")
      #expect(try residentMemory(of: processID) - before < 8 * Self.megabyte)
      try await client.write("GET k\n").value
      try await expect(client, "$\(count)")
      let value = try #require(try await client.read(exactly: count).value)
      #expect(value == Bytes(String(repeating: "0123456789abcdef", count: count / 16)))
      client.close()
    }
  }

  @Test("All commands that are under way together take no more than is allowed")
  func together() async throws {
    let (server, port) = try serving("RedisServer", "--max-pending", "10000000")
    try await withLoop { loop in
      var answers: [String] = []
      try await loop.withTasks { tasks in
        var clients: [TCPConnection] = []
        for _ in 0..<8 { clients.append(try await loop.tcp.connect(host: "127.0.0.1", port: port).value) }
        for client in clients {
          // All but the last argument: the command never comes completely.
          try await client.write(Bytes(command("EXISTS", "x", 20_000).dropLast(7))).value
          tasks.spawn {
            if let bytes = try? await client.next().value {
              answers.append(String(decoding: bytes, as: UTF8.self))
            }
          }
        }
        // Each takes 1.9 million bytes, so that five have room.
        while answers.count < 3 { try await loop.sleep(for: .milliseconds(1)).value }
        #expect(answers.allSatisfy { $0 == "-ERR too much is under way\r\n" })
        let other = try await loop.tcp.connect(host: "127.0.0.1", port: port).value
        #expect(try await ask(other, "PING\n") == "+PONG")
        #expect(answers.count == 3)
        other.close()
        for client in clients { client.close() }
      }
    }
    withExtendedLifetime(server) {}
  }

  @Test("A client that asks HTTPServer or FileServer for page after page and reads none is no longer read")
  func pages() async throws {
    for (example, option) in [("HTTPServer", "--request-timeout"), ("FileServer", "--idle-timeout")] {
      let (server, port) = try serving(example, option, "2")
      let processID = server.processID
      try await withLoop { loop in
        let before = try residentMemory(of: processID)
        let client = try await loop.tcp.connect(host: "127.0.0.1", port: port).value
        let requests = Bytes(String(repeating: "GET /page HTTP/1.1\r\nhost: x\r\n\r\n", count: 10_000))
        do throws(UVError) {
          // It ends when the server has ended the connection, because nobody reads.
          while true { try await client.write(requests).value }
        } catch { #expect([.connectionReset, .brokenPipe].contains(error.code), "\(error)") }
        #expect(try residentMemory(of: processID) - before < 32 * Self.megabyte)
        client.close()
      }
    }
  }
}
