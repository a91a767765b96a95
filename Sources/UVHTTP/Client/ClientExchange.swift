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
  private let options: HTTPClientOptions
  private let limits: HTTPLimits
  private let question: AnswerParser.Question
  var phase = Phase.head
  /// The bytes that have come and haven't been understood.
  var input = Bytes()
  private var parser: AnswerParser
  private var framing = AnswerHead.Framing.body(.none)
  private var bodyParser: BodyParser
  var done: Completion<HTTPClientResponse>?
  /// Where the body's bytes go. An iterator may keep only the source.
  weak var source: CustomSource<Bytes>?
  private weak var body: HTTPBody?
  private var isBodyWanted = false
  private var isReading = false
  var hasEnded = false
  private var interimCount = 0
  var reading = PendingRequest()
  var headTimer = PendingRequest()
  var totalTimer = PendingRequest()

  /// Whether none of the body has been sent, because it waited for leave.
  var hasWaited: Bool { sender?.isWaiting ?? false }

  /// Whether anything of an answer has come.
  private(set) var hasBegunAnswer = false
  var isSent = false
  var sender: RequestSender?

  init(_ outgoing: OutgoingRequest, _ lease: PoolLease<ClientConnection>, _ options: HTTPClientOptions) {
    (self.outgoing, self.lease, self.options) = (outgoing, lease, options)
    isReused = lease.resource.servedCount > 0
    loop = lease.resource.stream.loop
    limits = options.parsing
    question = AnswerParser.Question(isHead: outgoing.request.method == .head)
    parser = AnswerParser(limits, question)
    bodyParser = BodyParser(.none, limits)
  }

  var connection: ClientConnection { lease.resource }
  var stream: ByteStream { lease.resource.stream }

  /// Whether the connection had served another request before.
  let isReused: Bool

  /// Sends the request, and waits for the head of its answer.
  ///
  /// - Parameters:
  ///   - end: When all has to be over.
  ///   - done: Called once.
  func begin(until end: LoopClock.Instant, _ done: @escaping Completion<HTTPClientResponse>) {
    self.done = done
    connection.isInUse = true
    stream.writeTimeout = options.idleTimeout
    totalTimer = loop.sleepQuietly(for: loop.now.duration(to: end)) { [weak self] result in
      if case .success = result { self?.timeOut("total, \(self!.options.total)") }
    }
    let sender = RequestSender(outgoing, stream)
    self.sender = sender
    sender.begin(patience: options.continueTimeout) { [weak self] result in self?.didSend(result) }
    read()
  }

  private func didSend(_ result: Result<Void, UVError>) {
    switch result {
    case .success:
      isSent = true
      if phase == .head { waitForHead() }
    case .failure(let error):
      // The server may have answered before it closed the connection, so reading goes on.
      if sender?.isBodyWrong == true { fail(error) }
    }
  }

  /// The server has all of the request. It may have been silent until now.
  private func waitForHead() {
    stream.readTimeout = options.idleTimeout
    headTimer = loop.sleepQuietly(for: options.headTimeout) { [weak self] result in
      if case .success = result { self?.timeOut("head, \(self!.options.headTimeout)") }
    }
  }

  private func timeOut(_ subject: String) {
    fail(UVError(.timedOut, operation: "http", subject: subject))
  }

  func cancel() { if phase == .head { fail(UVError(.cancelled, operation: "http")) } }

  // MARK: Reading

  private func read() {
    if isReading || phase == .over { return }
    if hasEnded { return advance() }
    isReading = true
    reading = stream.read { [self] in didRead($0) }
  }

  private func didRead(_ result: Result<Bytes?, UVError>) {
    isReading = false
    if phase == .over { return }
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
        let bytes = Bytes(input[..<head.end])
        input = Bytes(input[head.end...])
        if !head.isInterim { return begin(head, head.response(bytes.copy())) }
        if head.status == 101 { return try handOver(head.response(bytes.copy())) }
        if head.status == 100 { sender?.goOn() }
        interimCount += 1
        if interimCount > Self.mostInterimAnswers {
          throw .badRequest("there are too many interim answers")
        }
        parser = AnswerParser(limits, question)
      }
    } catch { return refuse(error) }
    if hasEnded { return fail(UVError(.endOfFile, operation: "http")) }
    read()
  }

  private func begin(_ head: AnswerHead, _ response: HTTPResponse) {
    phase = .body
    headTimer.cancel()
    stream.readTimeout = options.idleTimeout
    framing = head.framing
    connection.keepsAlive = head.keepsAlive
    if case .body(let framing) = head.framing { bodyParser = BodyParser(framing, limits) }
    let done = done.take()
    let body = HTTPBody(BodyOwner(self))
    self.body = body
    source = body.source
    // Bytes of the body may have come with the head.
    readBody()
    done?(.success(HTTPClientResponse(response, body)))
  }

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
