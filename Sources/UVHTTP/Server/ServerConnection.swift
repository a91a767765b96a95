import HTTPTypes
import UV

/// The server's side of a connection: it reads a request, hands it out, and goes on when that has been
/// answered.
final class ServerConnection {
  enum Phase {
    /// The head of a request is read.
    case head
    /// The program has a request.
    case exchange
    /// The last answer has left, and further bytes of the client are dropped.
    case farewell
    case closed
  }

  let stream: ByteStream
  let server: HTTPServer
  let limits: HTTPLimits
  let end: LoopClock.Instant
  var phase = Phase.head
  /// The bytes that have come and haven't been understood.
  var input = Bytes()
  var parser: HeadParser
  var head = RequestHead()
  var bodyParser: BodyParser
  var body: HTTPBody?
  var isReading = false
  var quiescing = PendingRequest()
  var hasEnded = false
  var isBodyWanted = false
  var isBodyComplete = false
  var mayContinue = false
  var isAnswered = false
  /// Whether the answer has left.
  var hasLeft = false
  var isLast = false
  var droppedCount = 0
  /// How long the body of a request has been waited for.
  var waited = Duration.zero
  var waitBegin = LoopClock.Instant(nanoseconds: 0)
  /// Why the body was refused.
  var refusal: Refusal?

  init(_ stream: ByteStream, _ server: HTTPServer) {
    self.stream = stream
    self.server = server
    limits = server.limits
    parser = HeadParser(limits)
    bodyParser = BodyParser(.none, limits)
    end = stream.loop.now.advanced(by: limits.lifetime)
  }

  var loop: EventLoop { stream.loop }

  func begin() {
    stream.readTimeout = limits.idleTimeout
    stream.writeTimeout = limits.idleTimeout
    quiescing = stream.quiescing { [weak self] result in
      if case .success = result { self?.quiesce() }
    }
    read()
  }

  /// The service ends. A client that is silent gets a moment, since its request may be on its way.
  func quiesce() { if phase != .closed { stream.readTimeout = limits.lastSilence } }

  // MARK: Reading

  func read() {
    if isReading || phase == .closed { return }
    if hasEnded { return advance() }
    isReading = true
    stream.read { [self] in didRead($0) }
  }

  func didRead(_ result: Result<Bytes?, UVError>) {
    isReading = false
    if phase == .closed { return }
    switch result {
    case .success(let bytes?):
      if phase == .exchange { waited += waitBegin.duration(to: loop.now) }
      if phase == .farewell { return drop(bytes.count) }
      input = input.isEmpty ? bytes : input.followed(by: bytes)
      advance()
    case .success(nil):
      hasEnded = true
      if phase == .farewell { close() } else { advance() }
    case .failure(let error): didFail(error)
    }
  }

  func didFail(_ error: UVError) {
    guard error.code == .timedOut else {
      body?.finish(error)
      return close()
    }
    switch phase {
    case .head where input.isEmpty, .farewell, .closed: close()
    case .head: refuse(Refusal(code: 408, reason: "the request took too long"))
    case .exchange:
      refuseBody(Refusal(code: 408, reason: "the body took too long"), error)
    }
  }

  func advance() {
    switch phase {
    case .head: readHead()
    case .exchange: readBody()
    case .farewell, .closed: break
    }
  }

  func readHead() {
    do throws(Refusal) {
      guard let head = try parser.parse(input.span) else {
        if hasEnded { return input.isEmpty ? close() : refuse(.badRequest("the request isn't complete")) }
        if !input.isEmpty, stream.totalTimeout == nil { stream.totalTimeout = limits.headTimeout }
        return read()
      }
      if stream.totalTimeout != nil { stream.totalTimeout = nil }
      begin(head)
    } catch { refuse(error) }
  }

  func begin(_ head: RequestHead) {
    phase = .exchange
    self.head = head
    // The rest of what was read with it may stay for long.
    let bytes = Bytes(input[..<head.end]).copy()
    input = Bytes(input[head.end...])
    bodyParser = BodyParser(head.framing, limits)
    (isAnswered, hasLeft, isBodyWanted, droppedCount, refusal) = (false, false, false, 0, nil)
    isBodyComplete = head.framing == .none
    mayContinue = head.expectsContinue
    waited = .zero
    let body = HTTPBody(self)
    if isBodyComplete { body.finish() } else { self.body = body }
    server.deliver(HTTPExchange(self, head, bytes, body))
  }

  // MARK: The body

  func wantBody(_ isWanted: Bool) {
    isBodyWanted = isWanted
    if !isWanted || phase != .exchange { return }
    if mayContinue, !isAnswered { stream.write("HTTP/1.1 100 Continue\r\n\r\n") { _ in } }
    mayContinue = false
    readBody()
  }

  func readBody() {
    while phase == .exchange, !isBodyComplete, isBodyWanted || isAnswered, refusal == nil {
      var position = 0
      do throws(Refusal) {
        let part = try bodyParser.next(input.span, at: &position)
        let here = input
        input = Bytes(input[position...])
        switch part {
        case .incomplete:
          if hasEnded { return refuseBody(.badRequest("the body isn't complete"), nil) }
          return waitForBody()
        case .content(let range):
          if isAnswered { if !mayDrop(range.count) { return } } else { body?.send(Bytes(here[range])) }
        case .end(let trailer, _): endBody(Bytes(here[trailer]))
        }
      } catch { refuseBody(error, nil) }
    }
  }

  /// Bytes renew the timeout of silence. So the whole body has a time of its own, in which the program's own
  /// time doesn't count.
  func waitForBody() {
    stream.totalTimeout = max(.zero, limits.time(for: bodyParser.count) - waited)
    waitBegin = loop.now
    read()
  }

  func endBody(_ trailer: Bytes) {
    isBodyComplete = true
    stream.totalTimeout = nil
    if !trailer.isEmpty { body?.trailers = RequestHead().request(trailer).headerFields }
    body?.finish()
    body = nil
    goOnIfDone()
  }

  /// The body is wrong. The program may still answer.
  func refuseBody(_ refusal: Refusal, _ error: UVError?) {
    self.refusal = refusal
    let code: UVError.Code = hasEnded ? .endOfFile : refusal.code == 413 ? .messageTooLong : .invalidArgument
    stream.totalTimeout = nil
    body?.finish(error ?? UVError(code, operation: "read", message: refusal.reason))
    body = nil
    isLast = true
    goOnIfDone()
  }

  /// Whether so many bytes more of a body may be dropped, which nobody reads.
  func mayDrop(_ count: Int) -> Bool {
    droppedCount += count
    if droppedCount <= limits.unreadBody { return true }
    isLast = true
    refusal = .bodyTooLarge
    goOnIfDone()
    return false
  }

  // MARK: The end

  func close() {
    if phase == .closed { return }
    phase = .closed
    body?.finish(UVError(.cancelled, operation: "read"))
    body = nil
    stream.close()
    server.didClose(self)
  }
}

extension Bytes {
  /// These bytes and others, in memory of their own.
  func followed(by others: Bytes) -> Bytes {
    var builder = BytesBuilder(capacity: count + others.count)
    builder.append(self)
    builder.append(others)
    return builder.takeBytes()
  }
}
