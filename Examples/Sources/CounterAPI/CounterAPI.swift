// An HTTP API in front of a Redis server: `CounterAPI PORT REDIS-PORT`. GET /name reads a counter, POST /name counts.
// The article "An API" of UVHTTP shows this program.
import UVHTTP

/// A connection to a server that speaks Redis' protocol.
final class Redis: PoolResource {
  private let stream: TCPConnection
  private var isWaiting = false
  init(_ stream: TCPConnection) { self.stream = stream }

  var isReusable: Bool { !isWaiting && stream.isReusable }
  func idling(_ done: @escaping Completion<Void>) -> PendingRequest { stream.idling(done) }
  func close() -> Request<Void> { stream.close() }

  /// Sends a command that is answered with a number or a text; nil if there is none.
  func send(_ command: String...) async throws(UVError) -> Bytes? {
    isWaiting = true
    let parts = command.map { "$\($0.utf8.count)\r\n\($0)\r\n" }
    try await stream.write(Bytes("*\(command.count)\r\n" + parts.joined())).value
    guard let line = try await stream.read(until: "\r\n", limit: 1024).value else {
      throw Redis.wrong("the end")
    }
    var answer: Bytes? = Bytes(line.dropFirst())
    switch line.first {
    case UInt8(ascii: ":"): break
    case UInt8(ascii: "$"):
      let count = Int("\(answer ?? "")") ?? -1
      answer = count < 0 ? nil : try await stream.read(exactly: count + 2).value.map { Bytes($0.dropLast(2)) }
    default: throw Redis.wrong("\(line)")
    }
    isWaiting = false
    return answer
  }

  private static func wrong(_ answer: String) -> UVError {
    UVError(.protocolError, operation: "redis", subject: answer)
  }
}

@main struct CounterAPI {
  static func answer(_ exchange: HTTPExchange, _ redis: Pool<Redis>) async throws {
    let name = String(exchange.request.path?.dropFirst() ?? "")
    let command = [.get: "GET", .post: "INCR"][exchange.request.method]
    guard let command else {
      return try await exchange.respond(HTTPResponse(status: .methodNotAllowed)).value
    }
    let value = try await redis.withResource { try await $0.send(command, name) }
    let status: HTTPResponse.Status = value == nil ? .notFound : .ok
    try await exchange.respond(HTTPResponse(status: status), value ?? "no such counter").value
  }

  static func main() {
    let ports = CommandLine.arguments.dropFirst().map { Int($0) ?? 0 }
    EventLoop.main { loop in
      var limits = PoolLimits()
      limits.resources = 8
      limits.wait = .seconds(1)
      let redis = Pool(loop.tcp.connect(host: "127.0.0.1", port: ports[1]).map { Redis($0) }, limits: limits)
      let server = try loop.http.listen(host: "127.0.0.1", port: ports[0])
      loop.shutdownGracefully(onSignals: [.terminate, .interrupt], within: .seconds(10)) { _ in }
      try await loop.standardOutput.write(Bytes("listening on \(try server.localAddress())\n")).value
      for try await exchange in server {
        loop.spawn {
          do {
            try await loop.withDeadline(.seconds(2)) { try await answer(exchange, redis) }
          } catch {
            let isLate = (error as? UVError)?.code == .timedOut
            exchange.respond(HTTPResponse(status: isLate ? .gatewayTimeout : .badGateway)) { _ in }
          }
        }
      }
      try await redis.close().value
      print("ended")
    }
  }
}
