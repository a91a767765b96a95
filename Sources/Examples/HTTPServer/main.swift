// An HTTP/1.1 server that ends in good order: `HTTPServer [PORT]`.
//
// It listens on a port of 127.0.0.1 (0, the default: one that the system chooses), and says which. SIGTERM ends it:
//
// - It accepts the connections that wait, and then no more.
// - Each answer from then on says that it is the last one of its connection.
// - An idle peer keeps its connection for a moment, because a request may be on its way.
import UV

try EventLoop.run { loop in
  let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 0
  let listener = try loop.tcp.listen(host: "127.0.0.1", port: port, backlog: 4096)
  try await loop.standardOutput.write(Bytes("listening on \(try listener.localAddress())\n")).value

  let terminations = try loop.signals(.terminate)
  let ending = loop.spawn {
    _ = try await terminations.next().value
    return try await loop.shutdownGracefully(within: .seconds(10)).value
  }

  var answered = 0
  for try await connection in listener {
    loop.spawn {
      defer { connection.close() }
      do throws(UVError) {
        try await serve(connection) { answered += 1 }
      } catch {
        // A silent peer is no news.
        if error.code != .timedOut { try? await loop.standardError.write(Bytes("\(error)\n")).value }
      }
    }
  }

  let report = try await ending.value
  try await loop.standardOutput.write(Bytes("answered \(answered), cut off \(report.count)\n")).value
}

/// Answers the requests of one connection.
func serve(_ connection: TCPConnection, didAnswer: () -> Void) async throws(UVError) {
  connection.readTimeout = .seconds(60)
  connection.writeTimeout = .seconds(60)
  connection.quiescing { result in
    if case .success = result { connection.readTimeout = .seconds(1) }
  }
  while let head = try await connection.read(until: "\r\n\r\n", limit: 16384).value {
    let request = HTTPRequest(head)
    let isLast = !request.keepsAlive || connection.isQuiescing
    try await connection.write(request.answer(isLast: isLast)).value
    didAnswer()
    if isLast { return try await end(connection) }
  }
}

/// Ends a connection so that its peer gets the last answer. If the peer still sent when the connection is closed, the system
/// would reset it, and throw the answer away.
func end(_ connection: TCPConnection) async throws(UVError) {
  try await connection.shutdown().value
  connection.readTimeout = .seconds(1)
  var rest = 1 << 20
  while rest > 0, let bytes = try await connection.read().value { rest -= bytes.count }
}

/// The parts of a request that the server uses.
struct HTTPRequest {
  private let words: [Substring]
  let keepsAlive: Bool

  init(_ head: Bytes) {
    let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
    words = lines.first?.split(separator: " ") ?? []
    // A request with a body isn't understood here, and neither is what follows it.
    keepsAlive =
      words.count == 3 && words[2] == "HTTP/1.1" && (words[0] == "GET" || words[0] == "HEAD")
      && !lines.contains { $0.lowercased() == "connection: close" }
  }

  /// The answer, which says whether it is the last one.
  func answer(isLast: Bool) -> Bytes {
    let (status, body) =
      switch (words.count, words.first) {
      case (3, "GET"), (3, "HEAD"): ("200 OK", "hello\n")
      case (3, _): ("405 Method Not Allowed", "only GET\n")
      default: ("400 Bad Request", "no request\n")
      }
    let connection = isLast ? "connection: close\r\n" : ""
    let head = "HTTP/1.1 \(status)\r\ncontent-length: \(body.utf8.count)\r\n\(connection)\r\n"
    return Bytes(words.first == "HEAD" ? head : head + body)
  }
}
