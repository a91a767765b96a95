import UVHTTP
import UVSimulation
import UVTLS

let httpWorlds: [HuntedWorld] =
  [Transport.tcp, .tls, .unix].map { transport in
    HuntedWorld("http server over \(transport)") { try httpServer($0, $1, transport) }
  } + [HuntedWorld("http client", httpClient), HuntedWorld("http repeats", httpRepeats)]
  + [Transport.tcp, .tls].map { transport in
    HuntedWorld("web sockets over \(transport)") { try webSockets($0, $1, transport) }
  }

/// How a client behaves.
private enum Manner: Int, CaseIterable {
  /// It asks, and reads all answers.
  case polite
  /// So it does, slowly.
  case slow
  /// It ends its side when it has asked.
  case halfClosing
  /// It closes, or resets, at any time.
  case leaving
  /// It sends something else after its requests.
  case wrong
  /// It sends a part of a request, and no more.
  case silent

  /// Whether it takes all answers that are given.
  var isPolite: Bool { self != .leaving }
}

/// Clients that pipeline requests, with bodies both ways, of a server that ends at the end of all or in the midst. Each
/// request is handed out once, bodies are exact, answers come in order, and nothing is left. Where the limits
/// are wide, an answer that is on its way comes.
private func httpServer(_ world: World, _ ledger: Ledger, _ transport: Transport) throws {
  let service = HTTPService(ledger)
  let clients = 3
  let isWide = world.random(below: 2) == 0
  let endsEarly = world.random(below: 2) == 0
  let (ended, isEnding) = (Shared(0), Shared(false))
  world.node("server") { loop in
    var limits = HTTPLimits.patient
    limits.pipelinedRequests = 1 + loop.draw(8)
    if !isWide {
      limits.headTimeout = .milliseconds(Int64(100 + loop.draw(5000)))
      limits.idleTimeout = .milliseconds(Int64(100 + loop.draw(10_000)))
      limits.lifetime = .seconds(1 + loop.draw(60))
      limits.farewell = .milliseconds(Int64(1 + loop.draw(5000)))
      limits.lastSilence = .milliseconds(Int64(1 + loop.draw(2000)))
      limits.connections = 1 + loop.draw(5)
    }
    try await loop.files.writeFile("/tmp/file", HTTPQuestion.file).value
    let file = try await loop.files.open("/tmp/file").value
    let server = try transport.serveHTTP(loop, limits)
    let serving = loop.spawn { () async throws in try await service.serve(server, file) }
    var asking: [LoopTask<Void, any Error>] = []
    if transport == .unix {
      for number in 0..<clients {
        asking.append(
          loop.spawn { () async throws in
            try await run(loop, number, isWide: isWide)
          })
      }
    }
    let end = Duration.milliseconds(Int64(loop.draw(10_000)))
    let begin = loop.now
    while ended.value < clients, !endsEarly || begin.duration(to: loop.now) < end {
      try await loop.sleep(for: .milliseconds(20)).value
    }
    isEnding.value = true
    server.close()
    try await serving.value
    for task in asking { try await task.value }
    try await file.close().value
  }
  @Sendable nonisolated(nonsending) func run(_ loop: EventLoop, _ number: Int, isWide: Bool) async throws {
    defer { ended.value += 1 }
    for round in 0..<2 {
      let first = number * 10_000 + round * 1000
      let stream: ByteStream
      do throws(UVError) { stream = try await transport.connect(loop) } catch {
        if isEnding.value { return }
        // Its handshake may take longer than the server waits.
        if !isWide, transport == .tls { continue }
        throw error
      }
      let visit = HTTPVisit(stream, service, first: first)
      do { try await visit.run() } catch let error as UVError {
        if isWide, visit.manner.isPolite, !isEnding.value {
          throw Violation("client \(number), \(visit.manner): \(error)")
        }
      }
      if isWide, visit.manner.isPolite { try visit.expectAnswers(isEnding: isEnding.value) }
      stream.close()
    }
  }
  if transport == .unix { return }
  for number in 0..<clients {
    world.node("client \(number)") { loop in try await run(loop, number, isWide: isWide) }
  }
}

extension Transport {
  /// A server on the transport.
  func serveHTTP(_ loop: EventLoop, _ limits: HTTPLimits) throws -> HTTPServer {
    switch self {
    case .tcp: try loop.http.listen(port: 7, limits: limits)
    case .unix: loop.http.serve(try loop.pipes.listen(path: "/tmp/socket"), limits: limits)
    case .tls:
      loop.http.serve(
        try loop.tls.listen(port: 7, Certificates.server(loop), handshakeTimeout: .seconds(3600)),
        limits: limits)
    }
  }
}

/// One connection of a client.
private final class HTTPVisit {
  let manner: Manner
  private let stream: ByteStream
  private let service: HTTPService
  private let questions: [HTTPQuestion]
  /// The questions that have been answered.
  private var answered = 0
  /// The last question whose body the server has given leave to send.
  private var leave = -1
  /// Whether the server has said that no more answers come.
  private var hasEnded = false

  init(_ stream: ByteStream, _ service: HTTPService, first: Int) {
    (self.stream, self.service) = (stream, service)
    let loop = stream.loop
    manner = loop.isDrawn(oneIn: 2) ? .polite : Manner.allCases[loop.draw(Manner.allCases.count)]
    questions = (0..<(1 + loop.draw(12))).map { .draw(loop, first + $0) }
  }

  nonisolated(nonsending) func run() async throws {
    let loop = stream.loop
    let writing = loop.spawn { () async throws(UVError) in try await self.write() }
    if manner == .leaving {
      let limit = Duration.microseconds(Int64(loop.draw([3000, 300_000, 3_000_000][loop.draw(3)])))
      loop.sleep(for: limit) { [stream] _ in
        if let stream = stream as? TCPConnection, loop.isDrawn(oneIn: 2) {
          stream.closeReset()
        } else {
          stream.close()
        }
      }
    }
    do { try await read() } catch {
      writing.cancel()
      _ = try? await writing.value
      throw error
    }
    // What is left of the requests may not be taken any more.
    if hasEnded { writing.cancel() }
    do { try await writing.value } catch { if !hasEnded { throw error } }
  }

  private nonisolated(nonsending) func write() async throws(UVError) {
    let loop = stream.loop
    var bytes = BytesBuilder()
    for (place, question) in questions.enumerated() {
      bytes.append(question.head)
      if question.isExpecting {
        try await send(bytes.takeBytes())
        // Without leave the body isn't sent, and the connection ends.
        while leave < place, answered <= place, !hasEnded {
          try await loop.sleep(for: .milliseconds(10)).value
        }
        if leave < place { return }
      }
      bytes.append(question.framedBody(loop))
      if loop.isDrawn(oneIn: 2) { try await send(bytes.takeBytes()) }
    }
    switch manner {
    case .wrong: bytes.append("no request\r\n\r\n")
    case .silent: bytes.append("GET / HT")
    default: break
    }
    try await send(bytes.takeBytes())
    if manner == .halfClosing { try await stream.shutdown().value }
  }

  private nonisolated(nonsending) func send(_ bytes: Bytes) async throws(UVError) {
    if bytes.isEmpty { return }
    try await stream.write(Records.divide(bytes, on: stream.loop)).value
    if stream.loop.isDrawn(oneIn: 3) { try await stream.loop.dawdle() }
  }

  private nonisolated(nonsending) func read() async throws {
    let reader = HTTPAnswerReader(stream: stream)
    for (place, question) in questions.enumerated() {
      guard
        let isLast = try await reader.read(question, isSlow: manner == .slow, mayContinue: { leave = place })
      else {
        hasEnded = true
        return
      }
      answered += 1
      if question.isLast { try expect(isLast, "the last answer doesn't say so: \(question)") }
      if isLast {
        hasEnded = true
        break
      }
    }
    if hasEnded || manner == .halfClosing { return try await expectEnd() }
    if manner == .wrong || manner == .silent {
      // The status of what isn't a request, and the end.
      let rest = try await stream.readToEnd(limit: 1000).value
      let text = String(decoding: rest, as: UTF8.self)
      let status = manner == .wrong ? "HTTP/1.1 400 " : "HTTP/1.1 408 "
      try expect(rest.isEmpty || text.hasPrefix(status), "another end: \(text)")
    }
  }

  private nonisolated(nonsending) func expectEnd() async throws {
    try expect(try await stream.next().value == nil, "bytes after the last answer")
  }

  /// All that the server has taken was answered, and all that was reported as answered has come.
  func expectAnswers(isEnding: Bool) throws {
    let name = "a \(manner) client"
    for (place, question) in questions.enumerated() {
      let hasCome = place < answered
      if service.answered.contains(question.number), !hasCome, !questions[..<place].contains(where: \.isLast)
      {
        throw Violation("\(name): the answer to \(question.number) is on its way and hasn't come")
      }
      if hasCome, !service.handed.contains(question.number) {
        throw Violation("\(name): an answer to \(question.number) that nobody has given")
      }
      if hasCome || isEnding { continue }
      if !questions[..<place].contains(where: \.isLast) {
        throw Violation(
          "\(name): no answer to \(question), \(service.failures[question.number].map { "\($0)" } ?? "never asked")"
        )
      }
    }
  }
}
