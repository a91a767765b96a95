// Answers whose head is made once: awaited, by a callback, and one after which the connection ends.
import UVHTTP

enum PreparedHeads: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let plain = HTTPPreparedHead(HTTPResponse(status: .ok, headerFields: [.contentType: "text/plain"]))
      let last = HTTPPreparedHead(HTTPResponse(status: .notFound, headerFields: [.connection: "close"]))
      let server = try loop.http.listen(host: "127.0.0.1", port: 0)
      let address = try server.localAddress()
      let serving = loop.spawn {
        do throws(UVError) {
          for try await exchange in server {
            switch exchange.request.path {
            case "/awaited": try await exchange.respond(plain, "a task").value
            case "/callback": exchange.respond(plain, "a callback") { _ in }
            case "/twice":
              try await exchange.respond(plain).value
              do throws(UVError) { try await exchange.respond(plain).value } catch { print(error.code) }
            default: try await exchange.respond(last).value
            }
          }
        } catch { print(error) }
      }
      for path in ["/awaited", "/callback", "/twice", "/nothing"] {
        let answer = try await loop.http.get("http://\(address)\(path)").value
        let body = try await answer.body.readToEnd(limit: 100).value
        let fields = answer.headerFields
        print(answer.status.code, fields[.contentType] ?? "-", fields[.contentLength] ?? "-", "\"\(body)\"")
      }
      server.close()
      await serving.value
    }
  }
}

// Prints:
// 200 text/plain 6 "a task"
// 200 text/plain 10 "a callback"
// EALREADY
// 200 text/plain 0 ""
// 404 - 0 ""
