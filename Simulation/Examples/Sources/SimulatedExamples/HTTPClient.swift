import UV
import WorldSupport

/// What a server has to answer to the path of a request.
struct Expected: Sendable {
  let path: String
  let status: Int
  /// The body; nil if it doesn't matter.
  let body: Bytes?
}

/// Asks for each path, two at a time. After an error of the connection, what wasn't answered is asked for
/// again.
func askHTTP(_ loop: EventLoop, _ expected: [Expected]) async throws {
  var (next, failures) = (0, 0)
  while next < expected.count {
    do {
      let connection = try await loop.tcp.connect(host: "server", port: 80).value
      defer { connection.close() }
      while next < expected.count {
        let both = expected[next..<min(next + 2, expected.count)]
        let requests = both.map { "GET \($0.path) HTTP/1.1\r\nhost: server\r\n\r\n" }.joined()
        try await connection.write(Bytes(requests.utf8)).value
        for one in both {
          let (status, body) = try await answer(connection)
          if status != one.status { throw Violation("\(one.path): status \(status)") }
          if let right = one.body, body != right {
            throw Violation("\(one.path): another body, \(body.count) bytes of \(right.count)")
          }
          next += 1
        }
      }
    } catch let error as UVError {
      failures += 1
      if failures > 10 { throw Violation("\(failures) connections have failed, the last with \(error)") }
    }
  }
}

private func answer(_ connection: ByteStream) async throws -> (status: Int, body: Bytes) {
  guard let head = try await connection.read(until: "\r\n\r\n", limit: 10_000).value else {
    throw UVError(.endOfFile, operation: "read")
  }
  let lines = String(decoding: head, as: UTF8.self).lowercased().split(separator: "\r\n")
  let words = (lines.first ?? "").split(separator: " ")
  let name = "content-length: "
  guard words.count > 1, let status = Int(words[1]),
    let length = lines.first(where: { $0.hasPrefix(name) }).flatMap({ Int($0.dropFirst(name.count)) })
  else { throw Violation("no head of an answer: \(lines)") }
  if length == 0 { return (status, Bytes()) }
  guard let body = try await connection.read(exactly: length).value else {
    throw UVError(.endOfFile, operation: "read")
  }
  return (status, body)
}
