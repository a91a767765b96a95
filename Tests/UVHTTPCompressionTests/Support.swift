#if Everything
import Testing
import UVHTTPCompression
import UVTestSupport

/// Runs a server that answers each request in a task, and calls `body` with a client of it.
func withServer(
  _ handler: nonisolated(nonsending) @escaping @Sendable (HTTPExchange) async throws(UVError) -> Void,
  client body:
    nonisolated(nonsending) @escaping @Sendable (EventLoop, HTTPClient, _ url: String) async throws -> Void
) async throws {
  try await withLoop { loop in
    let server = try loop.http.listen(host: "127.0.0.1", port: 0)
    let url = "http://127.0.0.1:\(try server.localAddress().port)/"
    let serving = loop.spawn { () async throws(UVError) in
      for try await exchange in server {
        loop.spawn { do throws(UVError) { try await handler(exchange) } catch {} }
      }
    }
    let client = HTTPClient(loop)
    try await body(loop, client, url)
    try await client.close().value
    server.close()
    try await serving.value
  }
}

extension HTTPClient {
  /// Sends a request with these fields, and a body perhaps.
  func ask(_ url: String, _ fields: HTTPFields = [:], _ body: Bytes = Bytes()) -> Request<HTTPClientResponse>
  {
    send(HTTPRequest(method: body.isEmpty ? .get : .post, url: url, headerFields: fields)!, body: body)
  }
}

/// Text that becomes a tenth of its size.
func text(_ count: Int) -> Bytes {
  var text = BytesBuilder(capacity: count + 20)
  var number = 0
  while text.count < count {
    text.append("line \(number % 1000) of it\n")
    number += 1
  }
  return Bytes(text.takeBytes()[..<count])
}

/// Bytes that nothing makes shorter.
func noise(_ count: Int) -> Bytes {
  var state: UInt64 = 42
  return Bytes(
    (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(state >> 56)
    })
}
#endif
