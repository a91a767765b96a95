// A server that answers whole, from a file and bit by bit, and that reads bodies.
import UVHTTP

enum FirstServer: Program {
  static func main() throws {
    try EventLoop.run { loop in
      var limits = HTTPLimits()
      limits.body = 20
      limits.lastSilence = .milliseconds(10)
      let server = try loop.http.listen(host: "127.0.0.1", port: 0, limits: limits)
      let serving = loop.spawn { () async throws(UVError) in
        for try await exchange in server {
          loop.spawn {
            do throws(UVError) { try await answer(exchange) } catch {
              print("server:", error.code == .messageTooLong)
            }
          }
        }
      }
      let address = try server.localAddress()
      print(try await ask(address, loop, "GET /whole HTTP/1.1"))
      print(try await ask(address, loop, "GET /bits HTTP/1.1"))
      print(try await ask(address, loop, "GET /file HTTP/1.1"))
      print(try await ask(address, loop, "GET /file/callback HTTP/1.1"))
      print(try await ask(address, loop, "POST /echo HTTP/1.1\r\nContent-Length: 5", "hello"))
      print(
        try await ask(
          address, loop, "POST /parts HTTP/1.1\r\nTransfer-Encoding: chunked", "3\r\nabc\r\n0\r\nA: b\r\n\r\n"
        ))
      print(try await ask(address, loop, "POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked", "ff\r\n"))
      print(try await ask(address, loop, "GET /none HTTP/1.1"))
      server.close()
      try await serving.value
      print("ended")
    }
  }

  private static func answer(_ exchange: HTTPExchange) async throws(UVError) {
    let ok = HTTPResponse(status: .ok)
    switch exchange.request.path {
    case "/whole":
      precondition(exchange.bodyLength == 0)
      let host = try exchange.peerAddress().host
      try await exchange.respond(ok, Bytes("the address is \(host)")).value
    case "/bits":
      let writer = try exchange.begin(ok)
      precondition(writer.loop === exchange.loop)
      for bit in ["1", "22"] { try await writer.write(Bytes(bit)).value }
      try await writer.finish([.eTag: "x"]).value
    case "/file", "/file/callback":
      let path = "/tmp/first-server-\(UInt64.random(in: 0...UInt64.max))"
      try await exchange.loop.files.writeFile(path, "nothing").value
      let file = try await exchange.loop.files.open(path).value
      try await exchange.loop.files.unlink(path).value
      if exchange.request.path == "/file" {
        try await exchange.respond(ok, file: file, from: 0, count: 7).value
      } else {
        exchange.respond(ok, file: file, from: 2, count: 5) { _ in }
      }
    case "/echo":
      try await exchange.respond(ok, exchange.body.readToEnd(limit: 100).value).value
    case "/parts":
      precondition(exchange.bodyLength == nil)
      var count = 0
      for try await part in exchange.body { count += part.count }
      let text = "\(count) bytes, \(exchange.body.trailers.count) field after them"
      try await exchange.respond(ok, Bytes(text)).value
    default: break
    }
  }

  private static func ask(
    _ address: SocketAddress, _ loop: EventLoop, _ request: String, _ body: String = ""
  ) async throws(UVError) -> String {
    let client = try await loop.tcp.connect(to: address).value
    try await client.write(Bytes("\(request)\r\nHost: a\r\nConnection: close\r\n\r\n\(body)")).value
    let answer = "\(try await client.readToEnd(limit: 1000).value)"
    let status = answer.dropFirst(9).prefix { $0 != "\r\n" }
    let body = answer.split(separator: "\r\n\r\n", maxSplits: 1).last ?? ""
    return "\(status): " + body.split(whereSeparator: \.isNewline).joined(separator: " ")
  }
}

// Prints:
// 200 OK: the address is 127.0.0.1
// 200 OK: 1 1 2 22 0 ETag: x
// 200 OK: nothing
// 200 OK: thing
// 200 OK: hello
// 200 OK: 3 bytes, 1 field after them
// server: true
// 413 Content Too Large: 413 the body is too large
// 500 Internal Server Error: 500 there is no answer
// ended
