// A gateway in front of a server: requests that are sent on, and a tunnel by CONNECT.
import UVHTTP

enum Gateway: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let server = try loop.http.listen(host: "127.0.0.1", port: 0)
      server.start { result in
        guard case .success(let exchange?) = result else { return }
        let via = exchange.request.headerFields[.via] ?? "nobody"
        exchange.respond(HTTPResponse(status: .ok), Bytes("\(exchange.request.path ?? "") by \(via)")) { _ in
        }
      }
      let place = HostPort("127.0.0.1:\(try server.localAddress().port)")!
      let client = HTTPClient(loop)
      let gateway = try loop.http.listen(host: "127.0.0.1", port: 0)
      var endedTunnels = 0
      gateway.start { result in
        guard case .success(let exchange?) = result else { return }
        let change = { (request: inout HTTPRequest) in
          (request.scheme, request.authority) = ("http", place.description)
        }
        if exchange.request.path == "/callbacks" {
          exchange.forward(changing: change, by: client, as: "gateway") { _ in print("forwarded") }
          return
        }
        loop.spawn {
          do throws(UVError) {
            guard exchange.request.method == .connect else {
              return try await exchange.forward(changing: change, by: client).value
            }
            let target = try await loop.tcp.connect(host: place.host, port: place.port).value
            let stream = try await exchange.upgrade(HTTPResponse(status: .ok)).value
            if exchange.request.headerFields[.accept] == nil {
              try await stream.join(target).value
              endedTunnels += 1
            } else {
              stream.join(target, lastSilence: .seconds(2)) { _ in endedTunnels += 1 }
            }
          } catch { print(error) }
        }
      }
      let port = Int(try gateway.localAddress().port)
      for path in ["/callbacks", "/task"] {
        print(
          try await loop.http.get("http://127.0.0.1:\(port)\(path)").value.body.readToEnd(limit: 100).value)
      }
      for (count, fields) in ["", "Accept: a\r\n"].enumerated() {
        let tunnel = try await loop.tcp.connect(host: "127.0.0.1", port: port).value
        try await tunnel.write(Bytes("CONNECT \(place) HTTP/1.1\r\nHost: \(place)\r\n\(fields)\r\n")).value
        let head = try await tunnel.read(until: "\r\n\r\n", limit: 1000).value
        print(head.map { "\($0)".hasPrefix("HTTP/1.1 200 ") } ?? false)
        try await tunnel.write("GET /tunnel HTTP/1.0\r\n\r\n").value
        try await tunnel.shutdown().value
        let answer = "\(try await tunnel.readToEnd(limit: 1000).value)"
        print(answer.suffix(17))
        while endedTunnels == count { try await loop.sleep(for: .milliseconds(1)).value }
        print("the tunnel has ended")
        tunnel.close()
      }
      let fields: HTTPFields = [.connection: "x-own", .accept: "a", .via: "1.1 first"]
      print(fields.forwarded(as: "second").map { "\($0.name): \($0.value)" })
      server.close()
      gateway.close()
      try await client.close().value
    }
  }
}

// Prints:
// forwarded
// /callbacks by 1.1 gateway
// /task by 1.1 swift-uv
// true
// /tunnel by nobody
// the tunnel has ended
// true
// /tunnel by nobody
// the tunnel has ended
// ["Accept: a", "Via: 1.1 first", "Via: 1.1 second"]
