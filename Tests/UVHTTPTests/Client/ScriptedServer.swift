#if Everything
import UV

@testable import UVHTTP

/// A server whose answers are bytes that a test has written down.
final class ScriptedServer {
  /// What comes back for a request: bytes, and whether the connection ends after them.
  typealias Script = (_ connection: Int, _ request: Int) -> (Bytes, ends: Bool)

  private let listener: TCPListener
  let url: String
  let port: Int
  private(set) var connections: [TCPConnection] = []
  /// The heads of the requests, in the order in which they came.
  private(set) var requests: [String] = []

  /// - Parameter size: How many bytes are written at a time, a turn apart.
  init(_ loop: EventLoop, size: Int = .max, _ script: @escaping Script) throws {
    listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
    port = Int(try listener.localAddress().port)
    url = "http://127.0.0.1:\(port)"
    listener.start { [self] result in
      guard case .success(let connection?) = result else { return }
      connections.append(connection)
      read(connection, connections.count, 1, size, script)
    }
  }

  private func read(
    _ connection: TCPConnection, _ number: Int, _ request: Int, _ size: Int, _ script: @escaping Script
  ) {
    connection.read(until: "\r\n\r\n", limit: 65536).start { [self] result in
      guard case .success(let head?) = result else {
        connection.close()
        return
      }
      requests.append("\(head)")
      let (bytes, ends) = script(number, request)
      write(bytes[...], to: connection, size) { [self] in
        if ends { connection.close() } else { read(connection, number, request + 1, size, script) }
      }
    }
  }

  private func write(
    _ bytes: Bytes.SubSequence, to connection: TCPConnection, _ size: Int, then next: @escaping () -> Void
  ) {
    if bytes.isEmpty { return next() }
    connection.write(Bytes(bytes.prefix(size))) { [self] result in
      guard case .success = result else { return next() }
      connection.loop.sleep(for: .zero) { [self] _ in
        write(bytes.dropFirst(size), to: connection, size, then: next)
      }
    }
  }

  func close() {
    listener.close()
    for connection in connections { connection.close() }
  }
}

extension HTTPClient {
  /// The status and the body of an answer, or the code of the error.
  nonisolated(nonsending) func outcome(_ request: HTTPRequest, body: Bytes = Bytes()) async -> String {
    do throws(UVError) {
      let answer = try await send(request, body: body).value
      let text = try await answer.body.readToEnd(limit: 1 << 20).value
      return "\(answer.status.code) \(text)"
    } catch {
      return error.name
    }
  }
}
#endif
