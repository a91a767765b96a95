#if Everything
import Foundation
import Testing
import UVDiagnostics
import UVTestSupport

/// What a page has answered.
struct Answer: Sendable {
  let status: Int
  let fields: HTTPFields
  let text: String

  /// A part of the JSON, such as `["loops", 0, "name"]`.
  func part(_ path: [any Sendable]) throws -> Any? {
    var value: Any? = try JSONSerialization.jsonObject(with: Data(text.utf8))
    for step in path {
      if let index = step as? Int {
        let list = value as? [Any]
        value = list.flatMap { $0.indices.contains(index) ? $0[index] : nil }
      } else {
        value = (value as? [String: Any])?[step as? String ?? ""]
      }
    }
    return value
  }
}

extension EventLoop {
  /// Asks a page, on a connection of its own.
  nonisolated(nonsending) func ask(
    _ url: String, _ method: HTTPRequest.Method = .get, socket: String? = nil, fields: HTTPFields = [:]
  ) async throws -> Answer {
    var options = HTTPClientOptions()
    options.unixSocket = socket.map { FilePath($0) }
    let client = HTTPClient(self, options: options)
    let request = try #require(HTTPRequest(method: method, url: url, headerFields: fields))
    let answer = try await client.send(request).value
    let text = try await answer.body.readToEnd(limit: 1 << 24).value
    try await client.close().value
    return Answer(status: answer.head.status.code, fields: answer.head.headerFields, text: "\(text)")
  }
}

extension DiagnosticsServer {
  /// The URL of another path.
  func url(of path: String) -> String { url.replacingOccurrences(of: "/?", with: "/\(path)?") }
}
#endif
