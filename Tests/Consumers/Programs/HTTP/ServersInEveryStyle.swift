// Requests by callbacks, promises and publishers, over TCP, a pipe, one connection, and to another protocol.
import UVFutures
import UVHTTP
import UVPromises

enum ServersInEveryStyle: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let ok = HTTPResponse(status: .ok)
      // Callbacks, over TCP.
      let first = try loop.http.listen(host: "127.0.0.1", port: 0)
      first.start { result in
        guard case .success(let exchange?) = result else { return print("callbacks end") }
        exchange.body.readToEnd(limit: 10) { body in
          exchange.respond(ok, (try? body.get()) ?? "-") { _ in }
        }
      }
      print(try await ask(loop.tcp.connect(to: first.localAddress()).value))
      first.close()

      // Promises, over a pipe.
      let directory = try await loop.files.mkdtemp("/tmp/http-XXXXXX").value
      let listener = try loop.pipes.listen(path: "\(directory)/socket")
      let second = loop.http.serve(listener)
      second.each { exchange in
        exchange.body.readToEnd(limit: 10).promise().then { exchange.respond(ok, $0).promise() }
      }.done { print("promises end") }.catch { print($0) }
      print(try await ask(loop.pipes.connect(path: "\(directory)/socket").value))
      second.close()
      try await loop.files.rmdir(directory).value

      // Publishers, and one connection.
      let sockets = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let client = try await loop.tcp.connect(to: sockets.localAddress()).value
      let third = loop.http.serve(try await sockets.accept().value)
      sockets.close()
      let subscription = third.publisher().flatMap { exchange in
        exchange.body.readToEnd(limit: 10).publisher().flatMap { exchange.respond(ok, $0).publisher() }
      }.sink { _ in
        print("publishers end")
      } receiveValue: {
      }
      print(try await ask(client))
      withExtendedLifetime(subscription) {}

      // A writer by callbacks, and another protocol.
      let fourth = try loop.http.listen(host: "127.0.0.1", port: 0)
      fourth.start { result in
        guard case .success(let exchange?) = result else { return }
        if exchange.request.headerFields[.upgrade] == nil {
          let writer = try! exchange.begin(ok, length: 3)
          writer.write("abc") { _ in writer.finish { _ in } }
        } else if exchange.request.path == "/task" {
          loop.spawn {
            do throws(UVError) {
              let stream = try await exchange.upgrade(HTTPResponse(status: .switchingProtocols)).value
              try await stream.write("another protocol").value
              stream.close()
            } catch { print(error) }
          }
        } else {
          exchange.upgrade(HTTPResponse(status: .switchingProtocols)) { result in
            if let stream = try? result.get() { stream.write("another protocol") { _ in stream.close() } }
          }
        }
      }
      print(try await ask(loop.tcp.connect(to: fourth.localAddress()).value))
      for path in ["/callback", "/task"] {
        let other = try await loop.tcp.connect(to: fourth.localAddress()).value
        let head = "GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n"
        try await other.write(Bytes(head)).value
        let text = "\(try await other.readToEnd(limit: 1000).value)"
        print(text.hasPrefix("HTTP/1.1 101 "), text.hasSuffix("another protocol"))
      }
      fourth.close()
    }
  }

  private static func ask(_ client: ByteStream) async throws(UVError) -> String {
    let head = "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 3\r\n\r\n"
    try await client.write(Bytes("\(head)abc")).value
    let answer = "\(try await client.readToEnd(limit: 1000).value)"
    client.close()
    return "\(answer.prefix(15)) \(answer.suffix(3))"
  }
}

// Prints:
// HTTP/1.1 200 OK abc
// callbacks end
// HTTP/1.1 200 OK abc
// promises end
// HTTP/1.1 200 OK abc
// publishers end
// HTTP/1.1 200 OK abc
// true true
// true true
