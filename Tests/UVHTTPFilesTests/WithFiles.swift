#if Everything
import Foundation
import Testing
import UVHTTPFiles
import UVTestSupport

/// An answer with its body.
struct Answer {
  let status: Int
  let fields: HTTPFields
  let text: String
}

/// A server of files, and a client.
final class FilesUnderTest {
  let loop: EventLoop
  let files: HTTPFiles
  /// The directory that is served. That above it is the test's own, too.
  let root: String
  let port: Int
  let client: HTTPClient

  fileprivate init(_ loop: EventLoop, _ root: String, _ options: HTTPFilesOptions, _ port: Int) {
    (self.loop, self.root, self.port) = (loop, root, port)
    files = HTTPFiles(at: FilePath(root), on: loop, options: options)
    client = HTTPClient(loop)
  }

  /// Asks for a path as it is, with percent signs or without.
  func ask(_ path: String, _ method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:]) async throws
    -> Answer
  {
    let request = HTTPRequest(
      method: method, scheme: "http", authority: "127.0.0.1:\(port)", path: path, headerFields: fields)
    let answer = try await client.send(request).value
    let body = try await answer.body.readToEnd(limit: 1 << 24).value
    return Answer(status: answer.status.code, fields: answer.headerFields, text: "\(body)")
  }

  func status(_ path: String, _ method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:]) async throws
    -> Int
  {
    try await ask(path, method, fields).status
  }

  /// A connection that the test speaks on by itself.
  func connect() async throws(UVError) -> TCPConnection {
    try await loop.tcp.connect(host: "127.0.0.1", port: port).value
  }

  /// Writes a file below the root, with the directories above it.
  func write(_ text: String, to name: String) throws {
    let url = URL(fileURLWithPath: "\(root)/\(name)")
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  /// Sets when a file has been changed.
  func date(_ name: String, _ seconds: Double) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: seconds)], ofItemAtPath: "\(root)/\(name)")
  }

  func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: "\(root)/\(name)", withDestinationPath: target)
  }
}

/// Serves a directory with a file `hello.txt` on a loop, and checks that nothing is left.
func withFiles(
  _ options: HTTPFilesOptions = HTTPFilesOptions(),
  answer: nonisolated(nonsending) @escaping @Sendable (HTTPFiles, HTTPExchange) async -> Void = {
    files, exchange in
    try? await files.respond(to: exchange).value
  },
  _ body: nonisolated(nonsending) @escaping @Sendable (FilesUnderTest) async throws -> Void
) async throws {
  try await withLoopAndDirectory { loop, directory in
    let server = try loop.http.listen(host: "127.0.0.1", port: 0)
    let files = FilesUnderTest(loop, "\(directory)/root", options, Int(try server.localAddress().port))
    try files.write("hello\n", to: "hello.txt")
    let serving = loop.spawn { () async throws in
      for try await exchange in server { loop.spawn { await answer(files.files, exchange) } }
    }
    try await body(files)
    try await files.client.close().value
    server.close()
    try await serving.value
  }
}
#endif
