import UVHTTP

// Sound: one thread of a world runs at a time.
/// A server of questions, and what it has been asked.
final class HTTPService: @unchecked Sendable {
  /// The requests that were handed out, and those whose answers are on their way.
  private(set) var handed: Set<Int> = []
  private(set) var answered: Set<Int> = []
  /// Why others weren't answered.
  private(set) var failures: [Int: UVError] = [:]
  /// Whether clients may send a request again that does no harm twice.
  var mayRepeat = false
  private let ledger: Ledger

  init(_ ledger: Ledger) { self.ledger = ledger }

  /// Answers all requests of a server, each in a task, until it ends.
  nonisolated(nonsending) func serve(_ server: HTTPServer, _ file: File) async throws {
    let loop = server.loop
    var tasks: [LoopTask<Void, any Error>] = []
    let isSerial = loop.isDrawn(oneIn: 4)
    for try await exchange in server {
      if isSerial {
        await answer(exchange, file)
      } else {
        tasks.append(loop.spawn { await self.answer(exchange, file) })
      }
    }
    for task in tasks { try await task.value }
  }

  private nonisolated(nonsending) func answer(_ exchange: HTTPExchange, _ file: File) async {
    let loop = exchange.loop
    guard let question = HTTPQuestion(path: exchange.request.path ?? "") else {
      return ledger.complain("a request that nobody has sent: \(exchange.request.path ?? "")")
    }
    let isNew = handed.insert(question.number).inserted
    if !isNew, !mayRepeat || question.framing != .none {
      ledger.complain("request \(question.number) comes twice")
    }
    do {
      if loop.isDrawn(oneIn: 3) { try await loop.dawdle() }
      switch question.kind {
      case .early: break
      case .lost: return
      default: try await read(exchange.body, question)
      }
      if loop.isDrawn(oneIn: 3) { try await loop.dawdle() }
      try await respond(exchange, question, file)
      answered.insert(question.number)
    } catch let error as UVError {
      // The client looks whether it may be so.
      failures[question.number] = error
      if error.code == .invalidArgument || error.code == .alreadyInProgress {
        ledger.complain("request \(question.number): \(error)")
      }
    } catch { ledger.complain("request \(question.number): \(error)") }
  }

  private nonisolated(nonsending) func read(_ body: HTTPBody, _ question: HTTPQuestion) async throws {
    let loop = body.loop
    var bytes = BytesBuilder()
    if loop.isDrawn(oneIn: 2) {
      bytes.append(try await body.readToEnd(limit: 1 << 20).value)
    } else {
      for try await part in body {
        bytes.append(part)
        if loop.isDrawn(oneIn: 8) { try await loop.dawdle() }
      }
    }
    try expect(bytes.takeBytes() == question.body, "the body of request \(question.number) is another one")
    for field in body.trailers {
      try expect(field.value == "\(question.number)", "request \(question.number) has another trailer")
    }
  }

  private nonisolated(nonsending) func respond(
    _ exchange: HTTPExchange, _ question: HTTPQuestion, _ file: File
  ) async throws {
    var response = HTTPResponse(status: .ok)
    response.headerFields[HTTPField.Name("x-number")!] = "\(question.number)"
    if question.kind == .last { response.headerFields[.connection] = "close" }
    switch question.kind {
    case .redirect:
      response.status = question.framing == .none ? .found : .temporaryRedirect
      response.headerFields[.location] = "http://other:7" + question.target.path
      try await exchange.respond(response).value
    case .file: try await exchange.respond(response, file: file, count: question.size).value
    case .chunked, .lengthy:
      let loop = exchange.loop
      let writer = try exchange.begin(response, length: question.kind == .chunked ? nil : question.size)
      for part in Records.divide(question.answer, on: loop) {
        try await writer.write(part).value
        if loop.isDrawn(oneIn: 4) { try await loop.dawdle() }
      }
      try await writer.finish(
        question.kind == .chunked ? [HTTPField.Name("x-end")!: "\(question.number)"] : [:]
      ).value
    default: try await exchange.respond(response, question.answer).value
    }
  }
}
