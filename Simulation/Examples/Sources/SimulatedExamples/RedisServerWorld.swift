import ArgumentParser
import UV
import UVSimulation
import WorldSupport

@testable import RedisServer

/// Each command is executed once, and its answer is that of a Redis. The seed says the server's style.
func redisServerWorld(_ world: World) throws {
  let styles = ["async", "callback", "promise", "publisher"]
  let style = styles[Int(world.seed % 4)]
  let server = world.program("server", isClient: false) {
    let command = try RedisServer.parse([
      "--host", "0.0.0.0", "--port", "80", "--loops", "2", "--style", style,
    ])
    try command.run()
  }
  try ask(server, in: world) { loop, number in
    let key = "key \(number)"
    let value = message(number, 20_000)
    // How many times the counter was raised, and whether once more isn't known.
    var (count, isOpen, failures) = (0, false, 0)
    while count < 6 {
      do {
        let client = try await RedisClient(loop)
        defer { client.connection.close() }
        if isOpen {
          let now = Int(
            String(decoding: try await client.ask(["INCRBY", key, "0"]).dropFirst(), as: UTF8.self))
          guard let now, now == count || now == count + 1 else {
            throw Violation("\(key) is \(now ?? -1) after \(count) and one that wasn't answered")
          }
          count = now
          isOpen = false
        }
        while count < 6 {
          isOpen = true
          let answer = try await client.ask(["INCR", key])
          if answer != Bytes(":\(count + 1)".utf8) { throw Violation("\(key): \(answer) after \(count)") }
          count += 1
          isOpen = false
          let other = "value \(number)"
          if try await client.ask(["SET", other], value) != "+OK" { throw Violation("SET wasn't answered") }
          if try await client.ask(["GET", other]) != Bytes("$\(value.count)".utf8) {
            throw Violation("GET: another size")
          }
          let found = try await client.read(exactly: value.count + 2)
          if Bytes(found.dropLast(2)) != value { throw Violation("GET: another value") }
        }
      } catch let error as UVError {
        failures += 1
        if failures > 10 { throw Violation("\(failures) connections have failed, the last with \(error)") }
      }
    }
  }
}

/// A client of the protocol.
private struct RedisClient {
  let connection: TCPConnection

  init(_ loop: EventLoop) async throws {
    connection = try await loop.tcp.connect(host: "server", port: 80).value
  }

  /// Sends a command, and returns the first line of the answer.
  func ask(_ words: [String], _ last: Bytes? = nil) async throws -> Bytes {
    var parts = [Bytes("*\(words.count + (last == nil ? 0 : 1))\r\n".utf8)]
    for word in words { parts.append(Bytes("$\(word.utf8.count)\r\n\(word)\r\n".utf8)) }
    if let last { parts += [Bytes("$\(last.count)\r\n".utf8), last, "\r\n"] }
    try await connection.write(parts).value
    guard let line = try await connection.readLine(limit: 1000).value else {
      throw UVError(.endOfFile, operation: "read")
    }
    return line.last == UInt8(ascii: "\r") ? Bytes(line.dropLast()) : line
  }

  func read(exactly count: Int) async throws -> Bytes {
    guard let bytes = try await connection.read(exactly: count).value else {
      throw UVError(.endOfFile, operation: "read")
    }
    return bytes
  }
}
