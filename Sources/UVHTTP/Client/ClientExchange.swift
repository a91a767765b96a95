import HTTPTypes
import UV

/// A request and its answer on a connection.
final class ClientExchange {
  enum Phase {
    /// The head of the answer is read.
    case head
    /// The program has the head, and may read the body.
    case body
    case over
  }

  /// How many interim answers (1xx) there may be.
  private static let mostInterimAnswers = 16

  let loop: EventLoop
  let outgoing: OutgoingRequest
  let lease: PoolLease<ClientConnection>
  let pool: ClientPool
  private let options: HTTPClientOptions
  private let limits: HTTPLimits
  /// Who is told when the head of the answer has come.
  @exclusivity(unchecked) var call: ClientCall?
  @exclusivity(unchecked) private var end = LoopClock.Instant(nanoseconds: 0)
  @exclusivity(unchecked) var phase = Phase.head
  /// The bytes that have come and haven't been understood.
  @exclusivity(unchecked) var input = Bytes()
  @exclusivity(unchecked) private var parser: AnswerParser
  @exclusivity(unchecked) private var framing = AnswerHead.Framing.body(.none)
  private var bodyParser: BodyParser
  /// Where the body's bytes go. An iterator may keep only the source.
  weak var source: CustomSource<Bytes>?
  private weak var body: HTTPBody?
  private var isBodyWanted = false
  @exclusivity(unchecked) var hasEnded = false
  private var interimCount = 0
  /// Writes what isn't written at once; nil otherwise.
  private(set) var sender: RequestSender?
  private var isSenderDone = true

  /// Whether anything of an answer has come.
  private(set) var hasBegunAnswer = false
  /// Whether the connection had served another request before.
  let isReused: Bool

  init(
    _ outgoing: OutgoingRequest, _ lease: PoolLease<ClientConnection>, _ pool: ClientPool,
    _ client: ClientCore
  ) {
    (self.outgoing, self.lease, self.pool, options) = (outgoing, lease, pool, client.options)
    isReused = lease.resource.servedCount > 0
    loop = lease.resource.stream.loop
    limits = client.limits
    parser = AnswerParser(limits, AnswerParser.Question(isHead: outgoing.request.method == .head))
    bodyParser = BodyParser(.none, limits)
  }

  var connection: ClientConnection { lease.resource }
  var stream: ByteStream { lease.resource.stream }

  /// Whether none of the body has been sent, because it waited for leave.
  var hasWaited: Bool { sender?.isWaiting ?? false }

  /// Whether all of the request has left.
  var isSent: Bool { isSenderDone && connection.writeCount == 0 }

  // MARK: Sending

  /// Sends the request, and waits for the head of its answer.
  ///
  /// - Parameters:
  ///   - call: Who is told, once.
  ///   - end: When all has to be over.
  func begin(for call: ClientCall, until end: LoopClock.Instant) {
    self.call = call
    self.end = end
    connection.begin(self)
    // While the request leaves, the server may be silent.
    if connection.servedCount > 0, !outgoing.isShort { stream.readTimeout = nil }
    connection.limit(until: end)
    if case .whole(let bytes) = outgoing.body, !outgoing.expectsContinue {
      let head = RequestBytes.head(outgoing)
      if bytes.isEmpty { connection.write(head) } else { connection.write([head, bytes]) }
    } else {
      isSenderDone = false
      let sender = RequestSender(outgoing, connection)
      self.sender = sender
      sender.begin(patience: options.continueTimeout) { [weak self] error in self?.didSendBody(error) }
    }
    connection.read()
  }

  /// The system has taken what was written, or won't.
  func didWrite(_ result: Result<Void, UVError>) {
    switch result {
    // The server may have answered before it closed the connection, so reading goes on.
    case .failure: sender?.stop()
    case .success: if isSenderDone { waitIfSent() } else { sender?.didWrite() }
    }
  }

  private func didSendBody(_ error: UVError?) {
    if let error { return fail(error) }
    isSenderDone = true
    waitIfSent()
  }

  /// If the server has all of the request, it may be silent no longer than this.
  private func waitIfSent() {
    guard isSent, phase == .head else { return }
    stream.readTimeout = options.idleTimeout
    connection.limit(until: min(end, loop.now.advanced(by: options.headTimeout)))
  }

  func deadlineCame() {
    let isAll = end <= loop.now
    let subject = isAll ? "total, \(options.total)" : "head, \(options.headTimeout)"
    fail(UVError(.timedOut, operation: "http", subject: subject))
  }

  func cancel() { if phase == .head { fail(UVError(.cancelled, operation: "http")) } }

  // MARK: Reading

  private func read() {
    if phase == .over { return }
    if hasEnded { return advance() }
    connection.exchange = self
    connection.read()
  }

  func didRead(_ result: Result<Bytes?, UVError>) {
    if phase == .over { return }
    defer { if phase == .body, !connection.isReading { connection.exchange = nil } }
    switch result {
    case .success(let bytes?):
      hasBegunAnswer = true
      input = input.isEmpty ? bytes : input.followed(by: bytes)
      advance()
    case .success(nil):
      hasEnded = true
      advance()
    case .failure(let error): fail(error)
    }
  }

  private func advance() {
    switch phase {
    case .head: readHead()
    case .body: readBody()
    case .over: break
    }
  }

  private func readHead() {
    do throws(Refusal) {
      while let head = try parser.parse(input.span) {
        // The rest of what was read with it may stay for long.
        let bytes = Bytes(input[..<head.end]).copy()
        input = Bytes(input[head.end...])
        if !head.isInterim { return try begin(head, LazyResponse(head, bytes)) }
        if head.status == 101 { return try handOver(LazyResponse(head, bytes)) }
        if head.status == 100 { sender?.goOn() }
        interimCount += 1
        if interimCount > Self.mostInterimAnswers {
          throw .badRequest("there are too many interim answers")
        }
        parser = AnswerParser(limits, AnswerParser.Question(isHead: outgoing.request.method == .head))
      }
    } catch { return refuse(error) }
    if hasEnded { return fail(UVError(.endOfFile, operation: "http")) }
    read()
  }

  private func begin(_ head: AnswerHead, _ response: LazyResponse) throws(Refusal) {
    phase = .body
    framing = head.framing
    connection.keepsAlive = head.keepsAlive
    if let whole = try wholeBody() {
      // The connection is free when the program hears of the answer.
      finish()
      tell(.success(HTTPClientResponse(response, HTTPBody(loop, whole))))
    } else {
      if !isSent { stream.readTimeout = options.idleTimeout }
      connection.limit(until: end)
      // A body that fails at once is no answer that fails.
      let call = call.take()
      let body = HTTPBody(BodyOwner(self))
      (connection.bodyExchange, self.body) = (self, body)
      body.expectedCount = bodyParser.rest ?? 0
      source = body.source
      readBody()
      call?.didEnd(self, .success(HTTPClientResponse(response, body)))
    }
  }

  /// The body, if all of it has come with the head; nil if more is to come, or it is chunked.
  private func wholeBody() throws(Refusal) -> Bytes? {
    guard case .body(let framing) = framing else { return nil }
    switch framing {
    case .none: return Bytes()
    case .length(let count) where count <= input.count && count <= limits.body:
      let body = Bytes(input[..<count])
      input = Bytes(input[count...])
      return body
    default:
      bodyParser = BodyParser(framing, limits)
      return nil
    }
  }

  func tell(_ result: Result<HTTPClientResponse, UVError>) { call.take()?.didEnd(self, result) }

  // MARK: The body

  func wantBody(_ isWanted: Bool) {
    isBodyWanted = isWanted
    if isWanted { readBody() }
  }

  private func readBody() {
    while phase == .body {
      if framing == .untilClose {
        if !input.isEmpty { source?.send(input) }
        input = Bytes()
        if hasEnded { return finish() }
        break
      }
      do throws(Refusal) {
        switch try bodyParser.take(from: &input) {
        case .incomplete:
          if hasEnded {
            return fail(UVError(.endOfFile, operation: "read", message: "the body isn't complete"))
          }
          if isBodyWanted { read() }
          return
        case .content(let part): source?.send(part)
        case .end(let trailer):
          if !trailer.isEmpty { body?.trailers = HTTPFields(trailer) }
          return finish()
        }
      } catch { return refuse(error) }
    }
    if isBodyWanted { read() }
  }

  /// Nobody holds the body any more.
  func bodyWasDropped() { if phase != .over { fail(UVError(.cancelled, operation: "read")) } }
}
