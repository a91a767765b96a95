// Parts of a file within an answer, on a server that refuses a client that is one too many.
import UVHTTP

enum FileParts: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let file = try await loop.files.open("/proc/self/exe").value
      var limits = HTTPLimits()
      (limits.connections, limits.refusedConnections) = (1, 10)
      let server = try loop.http.listen(host: "127.0.0.1", port: 0, limits: limits)
      server.start { result in
        guard case .success(let exchange?) = result else { return }
        if exchange.request.path == "/callbacks" {
          let writer = try! exchange.begin(HTTPResponse(status: .ok), length: 5)
          writer.write(file: file, from: 1, count: 3) { _ in }
          writer.write("\n.") { _ in writer.finish { _ in } }
        } else {
          loop.spawn {
            do throws(UVError) {
              let writer = try exchange.begin(HTTPResponse(status: .ok))
              try await writer.write("<").value
              try await writer.write(file: file, from: 1, count: 3).value
              try await writer.write(">").value
              try await writer.finish().value
            } catch { print(error) }
          }
        }
      }
      let url = "http://127.0.0.1:\(try server.localAddress().port)"
      let (first, second) = (HTTPClient(loop), HTTPClient(loop))
      print(try await first.get("\(url)/callbacks").value.body.readToEnd(limit: 100).value)
      print(try await first.get("\(url)/task").value.body.readToEnd(limit: 100).value)
      print(try await second.get(url).value.status)
      let counts: HTTPServerCounts = server.counts
      print(counts.connections, counts.accepted, counts.refused, HTTPServerCounts().refused)
      server.close()
      try await first.close().value
      try await file.close().value
    }
  }
}

// Prints:
// ELF
// .
// <ELF>
// 503 Service Unavailable
// 1 1 1 0
