import UVHTTP

/// Reads answers strictly: each byte has to be the one that belongs there.
struct HTTPAnswerReader {
  let stream: ByteStream

  /// An answer's head.
  private struct Head {
    var status = 0
    var fields: [String: String] = [:]
  }

  /// Reads the answer to a question.
  ///
  /// - Parameters:
  ///   - isSlow: Whether to wait now and then.
  ///   - mayContinue: Called when the server gives leave to send the body.
  /// - Returns: Whether the server has said that it is the last one; nil if the connection ends before it.
  nonisolated(nonsending) func read(
    _ question: HTTPQuestion, isSlow: Bool, mayContinue: () -> Void
  ) async throws -> Bool? {
    var found = try await readHead()
    while let head = found, head.status == 100 {
      try expect(question.isExpecting && question.kind != .early, "leave that nobody has asked for")
      mayContinue()
      found = try await readHead()
    }
    guard let head = found else { return nil }
    let name = "the answer to \(question.number)"
    // The request was too slow for the server's limits, which the caller knows.
    if head.status == 408 { throw UVError(.timedOut, operation: name) }
    try expect(head.status == question.status, "\(name): \(head.status)")
    if question.kind != .lost {
      try expect(
        head.fields["x-number"] == "\(question.number)", "\(name): that to \(head.fields["x-number"] ?? "?")")
    }
    var body = Bytes()
    if head.fields["transfer-encoding"] == "chunked" {
      try expect(question.kind == .chunked, "\(name) is chunked")
      guard let bytes = try await readChunks(question.number, isSlow) else { return nil }
      body = bytes
    } else {
      guard let count = head.fields["content-length"].flatMap({ Int($0) }) else {
        throw Violation("\(name) has no length")
      }
      guard let bytes = try await readBody(count, isSlow) else { return nil }
      body = bytes
    }
    try expect(body == question.answer, "\(name) has another body, \(body.count) bytes")
    return head.fields["connection"] == "close"
  }

  private nonisolated(nonsending) func readHead() async throws -> Head? {
    var head = Head()
    guard let first = try await line() else { return nil }
    let words = first.split(separator: " ")
    guard words.count > 1, words[0] == "HTTP/1.1", let status = Int(words[1]) else {
      throw Violation("no status line: \(first)")
    }
    head.status = status
    while true {
      guard let line = try await line() else { return nil }
      if line.isEmpty { return head }
      guard let colon = line.firstIndex(of: ":") else { throw Violation("no field: \(line)") }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      head.fields[line[..<colon].lowercased()] = String(value)
    }
  }

  private nonisolated(nonsending) func line() async throws -> String? {
    do throws(UVError) {
      return try await stream.readLine(limit: 1000, onlyCRLF: true).value.map {
        String(decoding: $0, as: UTF8.self)
      }
    } catch {
      if error.code == .endOfFile { return nil }
      throw error
    }
  }

  private nonisolated(nonsending) func readBody(_ count: Int, _ isSlow: Bool) async throws -> Bytes? {
    var bytes = BytesBuilder()
    var rest = count
    while rest > 0 {
      let part = isSlow ? min(rest, 1 + stream.loop.draw(3000)) : rest
      do throws(UVError) {
        guard let read = try await stream.read(exactly: part).value else { return nil }
        bytes.append(read)
      } catch {
        if error.code == .endOfFile { return nil }
        throw error
      }
      rest -= part
      if isSlow, stream.loop.isDrawn(oneIn: 8) { try await stream.loop.dawdle() }
    }
    return bytes.takeBytes()
  }

  private nonisolated(nonsending) func readChunks(_ number: Int, _ isSlow: Bool) async throws -> Bytes? {
    var bytes = BytesBuilder()
    while true {
      guard let text = try await line() else { return nil }
      guard let count = Int(text, radix: 16) else { throw Violation("no size of a chunk: \(text)") }
      if count == 0 { break }
      guard let part = try await readBody(count, isSlow) else { return nil }
      bytes.append(part)
      guard let end = try await line() else { return nil }
      try expect(end.isEmpty, "no end of a chunk: \(end)")
    }
    guard let trailer = try await line(), let end = try await line() else { return nil }
    try expect(
      trailer.lowercased() == "x-end: \(number)" && end.isEmpty, "another trailer: \(trailer), \(end)")
    return bytes.takeBytes()
  }
}
