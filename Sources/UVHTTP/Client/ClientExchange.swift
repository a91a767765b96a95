#if HTTP || Everything
import HTTPTypes
import UV

/// A request and its answer on a connection, which keeps the object for its next request.
final class ClientExchange {
  enum Phase {
    /// The head of the answer is read.
    case head
    /// The program has the head, and may read the body.
    case body
    case over
  }

  /// How many interim answers (1xx) there may be.
  static let mostInterimAnswers = 16

  /// Whose attempt this is; nil between two.
  @exclusivity(unchecked) private var call: ClientCall!
  @exclusivity(unchecked) var lease: PoolLease<ClientConnection>!
  @exclusivity(unchecked) var pool: ClientPool!
  let connection: ClientConnection
  @exclusivity(unchecked) private var hasReported = false
  @exclusivity(unchecked) var phase = Phase.head
  /// The bytes that have come and haven't been understood.
  @exclusivity(unchecked) var input = Bytes()
  /// Reads a head that isn't known, or doesn't come at once; nil between two of them.
  @exclusivity(unchecked) private var parser: ResponseParser?
  /// The body that the program reads as it comes; nil otherwise.
  @exclusivity(unchecked) var delivery: BodyDelivery?
  @exclusivity(unchecked) var hasEnded = false
  @exclusivity(unchecked) private var interimCount = 0
  /// Writes what isn't written at once; nil otherwise.
  @exclusivity(unchecked) private(set) var sender: RequestSender?
  @exclusivity(unchecked) private var isSenderDone = true

  /// Whether anything of an answer has come.
  @exclusivity(unchecked) private(set) var hasBegunAnswer = false
  /// Whether the connection had served another request before, or had waited for one.
  @exclusivity(unchecked) private(set) var isReused = false

  private init(_ connection: ClientConnection) { self.connection = connection }

  /// An exchange on a connection that is lent: the one before, or a new one if somebody still holds that.
  static func on(
    _ lease: consuming PoolLease<ClientConnection>, _ call: ClientCall, _ pool: consuming ClientPool
  ) -> ClientExchange {
    let exchange = takeSpare(lease.resource)
    exchange.call = call
    exchange.lease = consume lease
    exchange.pool = consume pool
    exchange.isReused = exchange.connection.mayBeStale
    (exchange.phase, exchange.hasReported, exchange.hasBegunAnswer) = (.head, false, false)
    return exchange
  }

  @inline(never)
  private static func takeSpare(_ connection: ClientConnection) -> ClientExchange {
    connection.takeSpare() ?? ClientExchange(connection)
  }

  /// Lets the connection keep the object. Only one that has had neither a sender nor a body in parts is as new.
  private func rest() {
    if connection.keepsAlive, sender == nil, interimCount == 0 { connection.keep(self) }
  }

  /// The request, until the head of its answer has come.
  var outgoing: OutgoingRequest { call.outgoing }
  private var client: ClientCore { call.client }
  var loop: EventLoop { connection.stream.loop }
  var limits: HTTPLimits { client.limits }
  var stream: ByteStream { connection.stream }

  /// Whether none of the body has been sent, because it waited for leave.
  var hasWaited: Bool { sender?.isWaiting ?? false }

  /// Whether all of the request has left.
  var isSent: Bool { isSenderDone && connection.writeCount == 0 }

  // MARK: Sending

  /// Sends the request, and waits for the head of its answer.
  func begin(_ client: ClientCore, _ outgoing: OutgoingRequest) {
    connection.begin(self)
    // While the request leaves, the server may be silent.
    if isReused, !outgoing.isShort { stream.readTimeout = nil }
    if case .whole(let bytes) = outgoing.body, !outgoing.expectsContinue {
      if bytes.isEmpty {
        connection.writeSoon(pool.head(of: outgoing))
      } else {
        connection.write([pool.head(of: outgoing), bytes])
      }
    } else {
      isSenderDone = false
      let sender = RequestSender(outgoing, pool.head(of: outgoing), connection)
      self.sender = sender
      sender.begin(patience: client.options.continueTimeout) { [weak self] error in
        self?.didSendBody(error)
      }
    }
    connection.limit(until: call.end)
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

  /// Once the server has all of the request, it may be silent no longer than this, also if it has begun to answer.
  private func waitIfSent() {
    guard isSent, phase != .over else { return }
    // Neither may be older than what was sent. Bytes that are sent at once need no other look at the clock.
    let now = sender == nil ? max(loop.now, call.start) : .now
    stream.beginReadTimeout(client.idleTimeout, at: now)
    if phase == .head { connection.limit(until: min(call.end, now.after(client.headTimeout))) }
  }

  func deadlineCame() {
    if call.end <= loop.now { return fail(client.overdue) }
    fail(UVError(.timedOut, operation: "http", subject: "head, \(client.options.headTimeout)"))
  }

  func cancel() { if phase == .head { fail(UVError(.cancelled, operation: "http")) } }

  // MARK: Reading

  func read() {
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
      while let answer = try nextHead() {
        if !answer.head.isInterim { return try begin(answer) }
        if answer.head.status == 101 { return try handOver(answer) }
        if answer.head.status == 100 { sender?.goOn() }
        if let onInterim = outgoing.onInterim {
          onInterim(answer.response)
          if phase != .head { return }
        }
        interimCount += 1
        if interimCount > Self.mostInterimAnswers { throw .tooManyInterimAnswers }
      }
    } catch { return refuse(error) }
    if hasEnded { return fail(UVError(.endOfFile, operation: "http")) }
    read()
  }

  /// Takes a head from what has come; nil if it isn't complete.
  private func nextHead() throws(Refusal) -> ClientResponse? {
    let isHead = outgoing.isHead
    if parser == nil, let last = pool.lastAnswer, last.isHead(of: input, isOfHead: isHead) {
      input.drop(last.bytes.count)
      return last
    }
    if parser == nil { parser = ResponseParser(limits, ResponseParser.Question(isHead: isHead)) }
    guard let head = try parser!.parse(&input) else { return nil }
    let all = input
    parser = nil
    // The rest of what was read with it may stay for long.
    let bytes = Bytes(copying: all.bytes.extracting(0..<head.end))
    input.drop(head.end)
    let answer = ClientResponse(head, bytes, isOfHead: isHead, head.status == 101 ? stream : nil)
    if !head.isInterim, answer.isToRemember { pool.lastAnswer = answer }
    return answer
  }

  private func begin(_ answer: consuming ClientResponse) throws(Refusal) {
    let framing = answer.head.framing
    phase = .body
    connection.keepsAlive = answer.head.keepsAlive
    if let whole = try wholeBody(framing) {
      // The connection is free when the program hears of the answer.
      finish()
      let call = self.call.take()!
      rest()
      call.didEnd(
        self, .success(HTTPClientResponse(HTTPBody(loop, whole, of: answer), to: call.outgoing)))
      call.rest()
    } else {
      connection.limit(until: call.end)
      // A body that fails at once is no answer that fails.
      hasReported = true
      let body = beginBody(answer)
      readBody()
      call.didEnd(self, .success(HTTPClientResponse(body, to: outgoing)))
    }
  }

  /// The body, if all of it has come with the head; nil if more is to come, or it is chunked.
  private func wholeBody(_ framing: AnswerHead.Framing) throws(Refusal) -> Bytes? {
    switch framing {
    case .body(.none): return Bytes()
    case .body(.length(let count)) where count <= input.count && count <= limits.body:
      return input.takeFirst(count)
    default: return nil
    }
  }

  /// Says once when the head of the answer has come, or the exchange has failed.
  func report(_ result: Result<HTTPClientResponse, UVError>) {
    if hasReported { return }
    hasReported = true
    call.didEnd(self, result)
  }
}

extension LoopClock.Instant {
  /// The moment that is so many nanoseconds later.
  func after(_ nanoseconds: UInt64) -> Self {
    let (sum, overflow) = self.nanoseconds.addingReportingOverflow(nanoseconds)
    return Self(nanoseconds: overflow ? .max : sum)
  }
}
#endif
