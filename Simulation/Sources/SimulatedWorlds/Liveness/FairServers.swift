import UV
import UVHTTP
import UVSimulation
import UVTLS

/// How a client holds its connection. None of them ends by itself.
enum BadClient: CaseIterable, Sendable {
  /// It connects, and does nothing else: no handshake either.
  case stuck
  /// It sends nothing.
  case silent
  /// It sends a byte now and then, of a line that has no end.
  case slow
  /// It asks for much, and reads nothing.
  case deaf
  /// It asks for much, and reads a little now and then.
  case sipping
  /// It asks for ever.
  case greedy
}

/// How a server answers, and what its clients write.
private struct Service: Sendable {
  let question: Bytes
  let large: Bytes
  let endless: Bytes
  /// The longest that a connection may take, and how many may be open.
  static let total = Duration.seconds(3)
  static let handshake = Duration.seconds(2)
  static let places = 2

  static let lines = Service(question: "one\n", large: "large\n", endless: "o")
  static let http = Service(
    question: "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    large: "GET /large HTTP/1.1\r\nHost: a\r\n\r\n", endless: "G")
}

/// The longest that a good client may wait. Four bad ones share two places, and come back at once: each place is free
/// again after a handshake and a connection's total, and those before it in the queue go first.
private let bound = Duration.seconds(30)

/// A server whose places are all taken by bad clients serves the good ones within a bound.
func fairServer(_ world: World, _ ledger: Ledger, _ transport: Transport) throws {
  try fair(world, ledger, transport, .lines) { loop in
    let tasks = Shared<[LoopTask<Void, any Error>]>([])
    func serve<Source: EventSource>(_ source: Source) -> () -> Void where Source.Element: ByteStream {
      let serving = loop.spawn { () async throws in
        while let connection = try await source.next().value {
          loop.spawn { await answerLines(connection) }
        }
      }
      tasks.value.append(serving)
      return { (source as? Handle)?.close() }
    }
    switch transport {
    case .tcp:
      let listener = try loop.tcp.listen(port: 7)
      listener.connectionLimit = Service.places
      return serve(listener)
    case .unix:
      let listener = try loop.pipes.listen(path: "/tmp/socket")
      listener.connectionLimit = Service.places
      return serve(listener)
    case .tls:
      let listener = try loop.tls.listen(
        port: 7, Certificates.server(loop), handshakeTimeout: Service.handshake,
        handshakeLimit: Service.places)
      _ = serve(listener)
      return { listener.close() }
    }
  }
}

/// The same of HTTP.
func fairHTTP(_ world: World, _ ledger: Ledger, _ transport: Transport) throws {
  try fair(world, ledger, transport, .http) { loop in
    var limits = HTTPLimits()
    limits.connections = Service.places
    (limits.headTimeout, limits.idleTimeout, limits.lifetime) = (.seconds(1), .seconds(1), .seconds(2))
    (limits.farewell, limits.lastSilence) = (.milliseconds(500), .milliseconds(200))
    limits.minimumRate = 1 << 26
    let server: HTTPServer
    switch transport {
    case .tcp: server = try loop.http.listen(port: 7, limits: limits)
    case .unix: server = loop.http.serve(try loop.pipes.listen(path: "/tmp/socket"), limits: limits)
    case .tls:
      server = loop.http.serve(
        try loop.tls.listen(port: 7, Certificates.server(loop), handshakeTimeout: Service.handshake),
        limits: limits)
    }
    server.start { result in
      guard case .success(let exchange?) = result else { return }
      let length = exchange.request.path == "/large" ? 5_000_000 : 1
      exchange.respond(HTTPResponse(status: .ok), Bytes(repeating: 0x78, count: length)).start { _ in }
    }
    return { server.close() }
  }
}

/// Answers up to a number of lines, and no longer than the total.
private nonisolated(nonsending) func answerLines(_ connection: ByteStream) async {
  connection.totalTimeout = Service.total
  do throws(UVError) {
    for _ in 0..<50 {
      guard let line = try await connection.readLine(limit: 100).value else { break }
      let length = line == "large" ? 5_000_000 : 1
      try await connection.write(Bytes(repeating: 0x78, count: length)).value
      if line == "one" { break }
    }
    try await connection.shutdown().value
  } catch {}
  connection.close()
}

/// - Parameter listen: Starts the server, and returns what ends it.
private func fair(
  _ world: World, _ ledger: Ledger, _ transport: Transport, _ service: Service,
  _ listen: @escaping @Sendable (EventLoop) throws -> () -> Void
) throws {
  // How long the network takes is no question here.
  world.setWeather(world.weather.withoutLongWaits)
  let (bad, good) = (4, 3)
  let (isReady, served) = (Shared(false), Shared(0))
  @Sendable nonisolated(nonsending) func runClient(_ loop: EventLoop, _ number: Int) async throws {
    while !isReady.value { try await loop.sleep(for: .milliseconds(20)).value }
    if number < bad {
      while served.value < good {
        try? await misbehave(loop, transport, service, until: { served.value == good })
      }
      return
    }
    try await loop.dawdle()
    let start = loop.clock.now
    // One that was turned away asks again.
    while !(await ask(loop, transport, service)) {
      let time = start.duration(to: loop.clock.now)
      try expect(time < bound, "client \(number) isn't served within \(time)")
      try await loop.sleep(for: .milliseconds(50)).value
    }
    let time = start.duration(to: loop.clock.now)
    try expect(time < bound, "client \(number) was served after \(time)")
    served.value += 1
  }
  world.node("server", mayBeBusy: false) { loop in
    let end = try listen(loop)
    isReady.value = true
    var tasks: [LoopTask<Void, any Error>] = []
    for number in 0..<(transport == .unix ? bad + good : 0) {
      tasks.append(loop.spawn { () async throws in try await runClient(loop, number) })
    }
    while served.value < good { try await loop.sleep(for: .milliseconds(100)).value }
    for task in tasks { try await task.value }
    end()
  }
  world.eventually("each good client is served", within: bound * 2) { served.value == good }
  if transport == .unix { return }
  for number in 0..<(bad + good) {
    world.node("client \(number)", mayBeBusy: false) { loop in try await runClient(loop, number) }
  }
}

/// Asks once, and says whether there was an answer.
private nonisolated(nonsending) func ask(
  _ loop: EventLoop, _ transport: Transport, _ service: Service
) async -> Bool {
  guard let stream = try? await transport.connect(loop) else { return false }
  defer { stream.close() }
  guard (try? await stream.write(service.question).value) != nil,
    let answer = try? await stream.readToEnd(limit: 10_000).value
  else { return false }
  return answer.last == 0x78
}

/// Holds a connection until the server ends it.
private nonisolated(nonsending) func misbehave(
  _ loop: EventLoop, _ transport: Transport, _ service: Service, until isOver: () -> Bool
) async throws {
  let kind = BadClient.allCases[loop.draw(BadClient.allCases.count)]
  let stream: ByteStream
  if kind == .stuck, transport == .tls {
    stream = try await loop.tcp.connect(host: "server", port: 7).value
  } else {
    stream = try await transport.connect(loop)
  }
  defer { stream.close() }
  func wait() async throws(UVError) { try await loop.sleep(for: .milliseconds(50)).value }
  switch kind {
  case .stuck, .silent:
    var hasEnded = false
    let pending = stream.readToEnd(limit: 1 << 20).start { _ in hasEnded = true }
    while !isOver(), !hasEnded { try await wait() }
    pending.cancel()
  case .slow:
    while !isOver() {
      try await stream.write(service.endless).value
      try await wait()
    }
  case .deaf:
    try await stream.write(service.large).value
    let start = loop.clock.now
    // It doesn't learn of the end.
    while !isOver(), start.duration(to: loop.clock.now) < .seconds(60) { try await wait() }
  case .sipping:
    try await stream.write(service.large).value
    while !isOver(), try await stream.next().value != nil {
      for _ in 0..<4 { try await wait() }
    }
  case .greedy:
    stream.start { _ in }
    while !isOver() {
      try await stream.write(service.large).value
      try await wait()
    }
  }
}
