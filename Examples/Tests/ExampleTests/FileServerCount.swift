import Testing
import UV

/// What the clients of one run have seen.
final class FileServerCount {
  var answered = 0
  var lost = 0

  /// Sends request after request on one connection, until the server says that an answer was the last one.
  ///
  /// - Parameter closes: Whether the next request asks for that.
  func ask(_ connection: TCPConnection, closes: () -> Bool = { false }) async throws(UVError) {
    var isLast = false
    while !isLast {
      let close = closes() ? "connection: close\r\n" : ""
      try await connection.write(Bytes("GET /hello HTTP/1.1\r\nhost: localhost\r\n\(close)\r\n")).value
      guard let head = try await connection.read(until: "\r\n\r\n", limit: 4096).value,
        try await connection.read(exactly: 6).value == "hello\n"
      else { throw UVError(.endOfFile, operation: "an answer") }
      answered += 1
      isLast = String(decoding: head, as: UTF8.self).contains("connection: close")
    }
    #expect(try await connection.next().value == nil)
  }
}
