import UVHTTP
import UVSimulation

/// Programs with a client, and two servers. Each request ends once, and as it has to; a POST is never sent twice;
/// there are no more connections than the limit says; nothing is left. In one world of two the limits are tight,
/// requests are cancelled, clients close early, and servers end, or crash and come back.
func httpClient(_ world: World, _ ledger: Ledger) throws {
  let service = HTTPService(ledger)
  let isRough = world.random(below: 2) == 0
  let isCrashing = isRough && world.random(below: 2) == 0
  service.mayRepeat = isRough
  let (ended, ready) = (Shared(0), Shared(0))
  let clients = 2
  var servers: [SimulatedHost] = []
  for name in ["server", "other"] {
    let program: nonisolated(nonsending) @Sendable (EventLoop) async throws -> Void = { loop in
      try await loop.files.writeFile("/tmp/file", HTTPQuestion.file).value
      let file = try await loop.files.open("/tmp/file").value
      var limits = HTTPLimits.patient
      if isRough {
        limits.idleTimeout = .milliseconds(Int64(100 + loop.draw(5000)))
        limits.lifetime = .seconds(1 + loop.draw(20))
        limits.connections = 1 + loop.draw(5)
      }
      let server = try loop.http.listen(port: 7, limits: limits)
      let serving = loop.spawn { () async throws in try await service.serve(server, file) }
      ready.value += 1
      let end = loop.now.advanced(by: .seconds(isRough && loop.isDrawn(oneIn: 3) ? loop.draw(20) : 100_000))
      while ended.value < clients, loop.now < end { try await loop.sleep(for: .milliseconds(50)).value }
      server.close()
      try await serving.value
      try await file.close().value
    }
    servers.append(isCrashing ? world.host(name, program) : world.node(name, program))
  }
  for number in 0..<clients {
    world.node("client \(number)") { loop in
      defer { ended.value += 1 }
      while ready.value < 2 { try await loop.sleep(for: .milliseconds(20)).value }
      try await HTTPProgram(loop, ledger, service, isRough: isRough).run(from: 1 + number * 1000)
    }
  }
  if isCrashing { world.disturb(servers, bouncing: servers, every: .seconds(1), longest: .seconds(2)) }
}

/// A program that asks two servers by one client.
private final class HTTPProgram {
  private let loop: EventLoop
  private let ledger: Ledger
  private let service: HTTPService
  private let isRough: Bool
  private let client: HTTPClient
  private var options = HTTPClientOptions.patient

  init(_ loop: EventLoop, _ ledger: Ledger, _ service: HTTPService, isRough: Bool) {
    (self.loop, self.ledger, self.service, self.isRough) = (loop, ledger, service, isRough)
    options.connections.resources = 1 + loop.draw(3)
    options.redirects = 2
    if isRough {
      options.connections.waiters = 1 + loop.draw(20)
      options.connections.wait = .milliseconds(Int64(1 + loop.draw(20_000)))
      options.connections.creation = .milliseconds(Int64(1 + loop.draw(10_000)))
      options.connections.idle = .milliseconds(Int64(1 + loop.draw(3000)))
      options.connections.lifetime = .milliseconds(Int64(100 + loop.draw(20_000)))
      options.headTimeout = .milliseconds(Int64(1 + loop.draw(10_000)))
      options.idleTimeout = .milliseconds(Int64(100 + loop.draw(10_000)))
      options.total = .milliseconds(Int64(100 + loop.draw(30_000)))
      if loop.isDrawn(oneIn: 4) { options.origins = 1 }
    }
    client = HTTPClient(loop, options: options)
  }

  nonisolated(nonsending) func run(from first: Int) async throws {
    var tasks: [LoopTask<Void, any Error>] = []
    let closing = isRough && loop.isDrawn(oneIn: 4) ? loop.draw(25) : 25
    for number in first..<first + 25 {
      let question = draw(number)
      tasks.append(loop.spawn { () async throws in try await self.ask(question) })
      try expectLimits()
      if loop.isDrawn(oneIn: 2) { try await loop.dawdle() }
      if isRough, loop.isDrawn(oneIn: 10) {
        try await loop.sleep(for: .milliseconds(Int64(loop.draw(6000)))).value
      }
      if number == first + closing { client.close() }
    }
    for task in tasks { try await task.value }
    try expectLimits()
    try await client.close().value
    let counts = client.counts
    try expect(counts.leased + counts.creating + counts.waiting + counts.idle == 0, "left: \(counts)")
  }

  private func draw(_ number: Int) -> HTTPQuestion {
    let question = HTTPQuestion.draw(loop, number)
    return HTTPQuestion(
      number: number, kind: loop.isDrawn(oneIn: 6) ? .redirect : question.kind, size: question.size,
      framing: question.framing, bodyCount: question.bodyCount)
  }

  private func expectLimits() throws {
    let counts = client.counts
    // One origin more may be on its way out.
    try expect(
      counts.leased + counts.creating + counts.idle <= options.connections.resources * 2,
      "\(counts) with \(options.connections.resources) for each of two origins")
    let waiters = options.connections.waiters + options.connections.resources
    try expect(counts.waiting <= waiters * 2, "\(counts.waiting) wait")
  }

  /// Asks, and compares the answer.
  private nonisolated(nonsending) func ask(_ question: HTTPQuestion) async throws {
    let host = loop.isDrawn(oneIn: 2) ? "server" : "other"
    let method: HTTPRequest.Method = question.framing == .none ? .get : .post
    let request = HTTPRequest(method: method, url: "http://\(host):7" + question.path)!
    // A redirect's body has to be known as a whole.
    let isInParts = question.framing == .chunked && question.kind != .redirect
    let name = "request \(question.number)"
    let answer = Request<HTTPClientResponse>(loop) { [self] done in
      let noted = ledger.ask(name, done)
      if !isInParts { return client.send(request, body: question.body, noted) }
      let length = loop.isDrawn(oneIn: 2) ? question.bodyCount : nil
      return client.send(request, body: parts(of: question.body), length: length, noted)
    }
    let isLeft = isRough && loop.isDrawn(oneIn: 6)
    do {
      let response: HTTPClientResponse
      switch isRough ? loop.draw(6) : 5 {
      case 0:
        let task = loop.spawn { () async throws(UVError) in try await answer.value }
        loop.cancel(PendingRequest { task.cancel() })
        response = try await task.value
      case 1: response = try await answer.timeout(after: .milliseconds(Int64(loop.draw(2000)))).value
      default: response = try await answer.value
      }
      if isLeft, loop.isDrawn(oneIn: 2) { return }
      if isLeft { try await loop.dawdle() }
      try await compare(response, question)
    } catch let error as UVError {
      if !isRough { throw Violation("\(name), \(question.kind): \(error)") }
      // Those that report something else than a deadline, an end or a cancellation.
      if [.invalidArgument, .protocolError, .messageTooLong, .alreadyInProgress].contains(error.code) {
        throw Violation("\(name), \(question.kind): \(error)")
      }
    }
  }

  private nonisolated(nonsending) func compare(_ answer: HTTPClientResponse, _ question: HTTPQuestion)
    async throws
  {
    let expected = question.kind == .redirect ? question.target : question
    let name = "the answer to \(question.number)"
    // A server says so whose limit has come.
    if isRough, answer.status.code == 408 { return }
    try expect(answer.status.code == expected.status, "\(name), \(question.kind): \(answer.status)")
    let number = answer.headerFields[HTTPField.Name("x-number")!]
    try expect(
      expected.kind == .lost || number == "\(expected.number)", "\(name) is that to \(number ?? "?")")
    let isSlow = loop.isDrawn(oneIn: 3)
    var bytes = BytesBuilder()
    if isSlow {
      for try await part in answer.body {
        bytes.append(part)
        if loop.isDrawn(oneIn: 8) { try await loop.dawdle() }
      }
    } else {
      bytes.append(try await answer.body.readToEnd(limit: 1 << 20).value)
    }
    try expect(bytes.takeBytes() == expected.answer, "\(name) has another body")
    if expected.kind == .chunked {
      try expect(
        answer.body.trailers[HTTPField.Name("x-end")!] == "\(expected.number)", "\(name) has another trailer")
    }
  }

  /// A body that comes bit by bit.
  private func parts(of body: Bytes) -> CustomSource<Bytes> {
    let source = CustomSource<Bytes>(loop, "body") { _ in }
    let task = loop.spawn { [loop] () async throws(UVError) in
      for part in Records.divide(body, on: loop) {
        source.send(part)
        if loop.isDrawn(oneIn: 4) { try await loop.dawdle() }
      }
      source.finish()
    }
    _ = task
    return source
  }
}
