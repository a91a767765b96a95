import UV

/// The clients' keys and values.
final class RedisStore {
  var values: [Bytes: Bytes] = [:]
}

/// A client of the Redis protocol, version 2: arrays of strings, and as much of the commands as `redis-cli`
/// and `redis-benchmark` need.
final class RedisSession {
  private static let longest = 512 * 1024 * 1024
  private static let mostArguments = 1024

  private let connection: TCPConnection
  private let store: RedisStore

  init(_ connection: TCPConnection, _ store: RedisStore) {
    self.connection = connection
    self.store = store
  }

  func run() async throws {
    while let command = try await readCommand() {
      guard let name = command.first else { continue }
      let verb = String(decoding: name, as: UTF8.self).uppercased()
      try await connection.write(answer(verb, Array(command.dropFirst()))).value
      if verb == "QUIT" { return }
    }
  }

  // MARK: Reading

  /// A command; nil at the end of the connection.
  private func readCommand() async throws -> [Bytes]? {
    guard let line = try await connection.readLine(limit: 65536).value else { return nil }
    guard line.first == UInt8(ascii: "*") else {
      // Typed by hand.
      return line.split(separator: UInt8(ascii: " ")).map { Bytes($0) }
    }
    let count = try number(line)
    guard 0...Self.mostArguments ~= count else { throw RedisError.malformed }
    var command: [Bytes] = []
    for _ in 0..<count { command.append(try await readString()) }
    return command
  }

  private func readString() async throws -> Bytes {
    guard let header = try await connection.readLine(limit: 64).value, header.first == UInt8(ascii: "$")
    else {
      throw RedisError.malformed
    }
    let count = try number(header)
    guard 0...Self.longest ~= count, let bytes = try await connection.read(exactly: count).value,
      try await connection.read(exactly: 2).value == "\r\n"
    else { throw RedisError.malformed }
    return bytes
  }

  /// The number after the first byte.
  private func number(_ line: Bytes) throws -> Int {
    guard let number = Bytes(line.dropFirst()).decimal else { throw RedisError.malformed }
    return number
  }

  // MARK: Answering

  private func answer(_ verb: String, _ arguments: [Bytes]) -> Bytes {
    switch (verb, arguments.count) {
    case ("PING", 0): return "+PONG\r\n"
    case ("PING", 1), ("ECHO", 1): return string(arguments[0])
    case ("SET", 2):
      // The value may be a slice of a larger buffer, which it would keep.
      store.values[arguments[0].copy()] = arguments[1].copy()
      return "+OK\r\n"
    case ("GET", 1): return store.values[arguments[0]].map { string($0) } ?? "$-1\r\n"
    case ("DEL", 1...):
      return integer(arguments.count(where: { store.values.removeValue(forKey: $0) != nil }))
    case ("EXISTS", 1...): return integer(arguments.count(where: { store.values[$0] != nil }))
    case ("INCR", 1):
      guard let value = (store.values[arguments[0]] ?? "0").decimal else {
        return "-ERR value is not an integer or out of range\r\n"
      }
      store.values[arguments[0].copy()] = Bytes("\(value + 1)")
      return integer(value + 1)
    case ("DBSIZE", 0): return integer(store.values.count)
    case ("QUIT", 0): return "+OK\r\n"
    // Some clients begin with these.
    case ("COMMAND", _), ("CONFIG", _): return "*0\r\n"
    default: return Bytes("-ERR unknown command '\(verb)', or a wrong number of arguments\r\n")
    }
  }

  private func integer(_ number: Int) -> Bytes { Bytes(":\(number)\r\n") }

  private func string(_ bytes: Bytes) -> Bytes {
    var builder = BytesBuilder(capacity: bytes.count + 32)
    builder.append("$")
    builder.append(decimal: bytes.count)
    builder.append("\r\n")
    builder.append(bytes)
    builder.append("\r\n")
    return builder.takeBytes()
  }
}

enum RedisError: Error {
  case malformed
}
