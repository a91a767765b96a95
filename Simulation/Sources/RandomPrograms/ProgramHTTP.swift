import SimulatedWorlds
import UV
import UVHTTP
import WorldSupport

/// HTTP between the two sides of a program: a server that has room for two connections, and two clients that may have two each.
/// So some are refused with 503. Each request ends within its limits, and none before.
final class ProgramHTTP {
  private let loop: EventLoop
  private let world: ProgramWorld
  private var server: HTTPServer?
  private var clients: [HTTPClient] = []
  private var lastNumber = 0
  /// How often each request that may not be repeated has been handed out.
  private var posts: [Int: Int] = [:]

  private static let headTimeout = Duration.seconds(2), total = Duration.seconds(6)

  init(_ loop: EventLoop, _ world: ProgramWorld, side: Int) throws(UVError) {
    (self.loop, self.world) = (loop, world)
    if side == 1 {
      try serve()
      return
    }
    var options = HTTPClientOptions()
    options.connections.resources = 2
    options.connections.wait = Self.total * 2
    options.headTimeout = Self.headTimeout
    options.total = Self.total
    clients = [HTTPClient(loop, options: options), HTTPClient(loop, options: options)]
  }

  /// Answers `/NUMBER/BYTES/TIME` with so many bytes of its own after a time.
  private func serve() throws(UVError) {
    var limits = HTTPLimits()
    limits.connections = 2
    (limits.idleTimeout, limits.lastSilence, limits.farewell) = (
      .seconds(1), .milliseconds(1), .milliseconds(1)
    )
    let server = try loop.http.listen(port: world.place.port + 2, limits: limits)
    server.start { [self, loop, world] result in
      guard case .success(let exchange?) = result else { return }
      var numbers = (exchange.request.path ?? "").split(separator: "/").compactMap { Int($0) }
      if numbers.count != 3 { return world.complain("a request that nobody has sent") }
      let number = numbers.removeFirst()
      if exchange.request.method == .post {
        posts[number, default: 0] += 1
        if posts[number]! > 1 { world.complain("POST \(number) is handed out again") }
        exchange.body.readToEnd(limit: 1 << 24).start { [world] in
          if case .success(let body) = $0, body != Self.body(number) {
            world.complain("POST \(number): another body")
          }
        }
      }
      loop.sleep(for: .microseconds(numbers[1])) { _ in
        if numbers[1] % 2 == 0 {
          return _ = exchange.respond(HTTPResponse(status: .ok), message(number, numbers[0])) { _ in }
        }
        guard let writer = try? exchange.begin(HTTPResponse(status: .ok)) else { return }
        let bytes = message(number, numbers[0])
        writer.write(Bytes(bytes.prefix(numbers[0] / 2))) { _ in }
        loop.sleep(for: .milliseconds(numbers[0] % 100)) { _ in
          writer.write(Bytes(bytes.dropFirst(numbers[0] / 2))) { _ in }
          writer.finish { _ in }
        }
      }
    }
    self.server = server
  }

  private static func body(_ number: Int) -> Bytes { message(number + 1, number * 777 % 20_000) }

  func get(_ step: ProgramStep, _ track: ProgramTrack, _ side: ProgramSide, _ count: Int, _ time: Int) async {
    guard !clients.isEmpty else { return }
    let client = clients[time / 2 % 2]
    lastNumber += 1
    let number = lastNumber
    let url = "http://\(world.place.server):\(world.place.port + 2)/\(number)/\(count)/\(time)"
    // Some aren't interested in the body, some may not be repeated.
    let (readsBody, isPost) = (count % 5 != 4, count % 4 == 1)
    let begin = loop.clock.now
    let request = Request<(Int, Bytes)>(loop) { done in
      var pending = PendingRequest()
      let answered: Completion<HTTPClientResponse> = { result in
        switch result {
        case .failure(let error): done(.failure(error))
        case .success(let answer) where !readsBody: done(.success((answer.status.code, Bytes())))
        case .success(let answer):
          pending = answer.body.readToEnd(limit: 1 << 24).start { body in
            done(body.map { (answer.status.code, $0) })
          }
        }
      }
      pending =
        isPost
        ? client.send(HTTPRequest(method: .post, url: url)!, body: Self.body(number), answered)
        : client.get(url, answered)
      return PendingRequest { pending.cancel() }
    }
    await side.ask(
      step, track,
      mayFail: { [loop] error in
        let time = begin.duration(to: loop.clock.now)
        switch error.code {
        case .timedOut: return time >= Self.headTimeout && time <= Self.total + side.slack
        case .connectionReset, .connectionAborted, .endOfFile, .brokenPipe: return true
        default: return false
        }
      }, { request }
    ) { [world] result in
      guard case .success(let (status, body))? = result else { return }
      if status == 503 || status == 408 { return }
      if status != 200 || body != (readsBody ? message(number, count) : Bytes()) {
        world.complain("\(step): \(status), \(body.count) bytes")
      }
    }
  }

  nonisolated(nonsending) func end() async throws {
    for client in clients { try await client.close().value }
    server?.close()
  }
}
