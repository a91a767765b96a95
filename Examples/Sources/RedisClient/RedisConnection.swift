import UV

/// A connection to a Redis server, which a pool lends to one function at a time.
final class RedisConnection: PoolResource {
  private let stream: TCPConnection
  /// How many answers are still to come.
  private var awaitedCount = 0

  init(_ stream: TCPConnection) { self.stream = stream }

  // MARK: For the pool

  var isReusable: Bool { awaitedCount == 0 && stream.isReusable }

  func idling(_ done: @escaping Completion<Void>) -> PendingRequest { stream.idling(done) }

  func close() -> Request<Void> { stream.close() }

  // MARK: Commands

  /// Sends a command, and waits for its answer.
  ///
  /// - Throws: A `RedisError` if the server refuses the command, and the errors of the connection.
  func send(_ command: [Bytes]) async throws -> RedisValue {
    var bytes = BytesBuilder()
    bytes.append("*\(command.count)\r\n")
    for part in command {
      bytes.append("$\(part.count)\r\n")
      bytes.append(part)
      bytes.append("\r\n")
    }
    awaitedCount += 1
    try await stream.write(bytes.takeBytes()).value
    let answer = try await readValue(depth: 0)
    awaitedCount -= 1
    switch answer {
    case .success(let value): return value
    case .failure(let error): throw error
    }
  }

  /// Reads an answer. An error of the server is read completely, too.
  private func readValue(depth: Int) async throws -> Result<RedisValue, RedisError> {
    guard depth < 8, let line = try await stream.read(until: "\r\n", limit: 65536).value,
      let kind = line.first
    else { throw UVError(.connectionAborted, operation: "read") }
    let rest = String(decoding: line.dropFirst(), as: UTF8.self)
    switch kind {
    case UInt8(ascii: "+"): return .success(.text(Bytes(rest)))
    case UInt8(ascii: "-"): return .failure(RedisError(message: rest))
    case UInt8(ascii: ":"): return .success(.integer(try number(rest)))
    case UInt8(ascii: "$"):
      let count = try number(rest)
      if count < 0 { return .success(.none) }
      guard let bytes = try await stream.read(exactly: count + 2).value else {
        throw UVError(.endOfFile, operation: "read")
      }
      return .success(.text(Bytes(bytes.dropLast(2))))
    case UInt8(ascii: "*"):
      let count = try number(rest)
      if count < 0 { return .success(.none) }
      var values: [RedisValue] = []
      var refusal: RedisError?
      for _ in 0..<count {
        switch try await readValue(depth: depth + 1) {
        case .success(let value): values.append(value)
        case .failure(let error): refusal = error
        }
      }
      return refusal.map { .failure($0) } ?? .success(.list(values))
    default: throw UVError(.invalidArgument, operation: "read", subject: "an answer that isn't RESP's")
    }
  }

  private func number(_ text: String) throws -> Int {
    guard let number = Int(text), number <= 512 << 20 else {
      throw UVError(.invalidArgument, operation: "read", subject: "a number")
    }
    return number
  }
}
