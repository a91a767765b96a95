#if HTTP || Everything
import HTTPTypes
import UV

/// The server's side of a connection: it reads requests, hands them out, and writes their answers in order.
final class ServerConnection: GatheringWriter, BodyReader {
  /// A connection goes from each to a later one.
  enum Phase: Int, Comparable {
    case serving
    /// The answer that has been begun last, or that is begun next, is the last one.
    case lastAnswer
    /// The last answer has left, and the end of it leaves. Further bytes of the client are dropped.
    case ending
    /// The end has left, too, and the client's is waited for.
    case farewell
    case closed

    static func < (a: Phase, b: Phase) -> Bool { a.rawValue < b.rawValue }
  }

  enum Reading {
    case idle
    case underWay
    /// The client has ended what it sends.
    case ended
  }

  /// The requests that may be handed out beside the last one.
  enum Successors {
    /// Requests whose order makes no difference.
    case shared
    /// None, until it is answered.
    case held
    /// None, and no byte is read: the connection may become another protocol's.
    case otherProtocol
  }

  /// The purpose of the stream's total timeout, unless bytes wait for the client.
  enum Timed {
    case nothing
    case head
    case body(since: LoopClock.Instant)
  }

  let server: ServerCore
  /// The server's number of the connection.
  let number: Int
  let limits: HTTPLimits
  /// Whether there are too many connections, so that this one gets the answer 503 to its first request.
  let isRefused: Bool
  let end: LoopClock.Instant
  let memory: ServerMemory
  @exclusivity(unchecked) private(set) var phase = Phase.serving
  var quiescing = PendingRequest()
  /// Ends the connection when it has lasted long enough, whatever its client does.
  var life = PendingRequest()
  @exclusivity(unchecked) var isLifeOver = false

  // Requests. -

  @exclusivity(unchecked) var reader: _ElementReceiver<Bytes>?
  @exclusivity(unchecked) private(set) var reading = Reading.idle
  @exclusivity(unchecked) var input: RequestInput
  @exclusivity(unchecked) var body: RequestBody
  @exclusivity(unchecked) var timed = Timed.nothing
  @exclusivity(unchecked) var successors = Successors.shared
  @exclusivity(unchecked) private var isAdvancing = false
  /// Whether the server has this connection go on when somebody asks.
  @exclusivity(unchecked) private var isWaiting = false

  // Answers. -

  @exclusivity(unchecked) var answers = PendingResponses()
  @exclusivity(unchecked) var isEndingTurns = false
  /// The error of answers that can't be given any more.
  var endCode = UVError.Code.brokenPipe
  /// Callers that wait until the system has taken all that was written.
  @exclusivity(unchecked) var writers: [Completion<Void>] = []

  init(_ stream: ByteStream, _ server: ServerCore, _ number: Int, isRefused: Bool) {
    (self.server, self.number, self.isRefused) = (server, number, isRefused)
    limits = server.limits
    input = RequestInput(limits)
    body = RequestBody(limits)
    memory = ServerMemory.ofLoop[stream.loop]
    end = stream.loop.now.advanced(by: limits.lifetime)
    super.init(stream)
  }

  override var isClosed: Bool { phase == .closed }

  var isServing: Bool { phase <= .lastAnswer }
  var isLast: Bool { phase >= .lastAnswer }
  var hasEnded: Bool { reading == .ended }

  func enter(_ next: Phase) {
    assert(next > phase, "a connection doesn't go back from \(phase) to \(next)")
    phase = next
  }

  func makeLast() { if phase == .serving { enter(.lastAnswer) } }

  override func noteWrite(_ count: Int) {
    if stream.writeQueueSize > 0 { beginWaitingForClient(count) }
    if body.isComplete { return }
    body.answeredCount += count
    if case .body = timed { waitForBody() }
  }

  func begin() {
    stream.readTimeout = isRefused ? limits.lastSilence : limits.idleTimeout
    stream.writeTimeout = limits.idleTimeout
    // All are let go of when the connection closes. A weak reference would make counting references slow.
    quiescing = stream.quiescing { [self] result in
      if case .success = result { quiesce() }
    }
    reader = _ElementReceiver { [self] _, result in didRead(result) }
    didWrite = { [self] in didWrite($0) }
    limitLife()
    // An answer is written whole, so the system needn't wait for more of it. A connection that has gone says
    // so when it is read.
    try? stream.setTCPNoDelay(true)
    read()
  }

  // MARK: Reading

  func read() {
    guard reading == .idle, phase != .closed, let reader else { return }
    reading = .underWay
    stream._next(for: reader)
  }

  private func didRead(_ result: Result<Bytes?, UVError>) {
    reading = .idle
    if case .success(nil) = result { reading = .ended }
    switch (phase, result) {
    case (.closed, _): break
    case (.ending, .success(let bytes?)), (.farewell, .success(let bytes?)): drop(bytes.count)
    case (.ending, .success(nil)): break
    case (.ending, .failure), (.farewell, _): close()
    case (.serving, .success(let bytes?)), (.lastAnswer, .success(let bytes?)):
      if !body.isComplete { pauseBodyTime() }
      input.append(bytes, isBody: !body.isComplete, last: server.lastHead)
      advance()
    case (.serving, .success(nil)), (.lastAnswer, .success(nil)):
      reportDeparture()
      advance()
    case (.serving, .failure(let error)), (.lastAnswer, .failure(let error)): didFail(error)
    }
  }

  private func didFail(_ error: UVError) {
    if error.code != .timedOut || stream.isClosing {
      body.source?.finish(error)
      return close()
    }
    if !body.isComplete {
      // The program has ceased to ask, and will ask again. The body's time is set anew then.
      if body.progress != .wanted, !answers.isEmpty {
        if !writeEnd.isSet { stream.totalTimeout = nil }
        return readAhead()
      }
      // While bytes wait for the client, its time is that of the write.
      if writeEnd.isSet { return read() }
      return refuseBody(Refusal(status: .requestTimeout, reason: "the body took too long"), error)
    }
    // The client waits for its answers.
    if !answers.isEmpty || writeCount > 0 { return advance() }
    if input.bytes.isEmpty { return close() }
    refuse(Refusal(status: .requestTimeout, reason: "the request took too long"))
  }

  /// Goes on with what has come.
  func advance() {
    if body.isComplete { takeRequests() } else { readBody() }
    readAhead()
  }

  /// A request isn't answered by another protocol, also if it has asked for one. So one may read beyond it.
  func willNotBeUpgraded(_ number: Int) {
    if input.held != nil || number != answers.nextNumber - 1 { return }
    if successors == .otherProtocol { successors = .held }
    readAhead()
  }

  /// Reads once beyond the requests that have come, although what follows them may have to wait: a client that has gone
  /// is noticed by reading alone. Behind a request for another protocol the connection's new owner reads.
  func readAhead() {
    if answers.isEmpty || reading == .underWay || successors == .otherProtocol { return }
    // How many bytes belong to what has come. Chunks that nobody has asked for may have as many as they like.
    var count: Int?
    switch body.progress {
    case .awaitsContinue, .complete: count = 0
    case .unwanted, .wanted: count = body.rest
    }
    if let held = input.held { count = held.head.end }
    if input.bytes.count == count { read() }
  }

  private func takeRequests() {
    // A request that nobody wants is answered at once, and this function is called again.
    if isAdvancing { return }
    isAdvancing = true
    defer { isAdvancing = false }
    while canTakeRequest, isWanted(), let received = input.held ?? nextHead() {
      let head = received.head
      let isOtherProtocol = head.hasUpgrade || head.isConnect
      if !answers.isEmpty, !head.isShared {
        input.held = received
        successors = isOtherProtocol ? .otherProtocol : .held
        return
      }
      input.held = nil
      successors = isOtherProtocol ? .otherProtocol : head.isShared && head.keepsAlive ? .shared : .held
      begin(received)
    }
  }

  /// Whether to look for a request. Bytes that nobody asks for stay as they are, and no more are read.
  private func isWanted() -> Bool {
    if server.isWanted || isRefused || input.bytes.isEmpty && input.held == nil { return true }
    if !isWaiting { server.wait(self) }
    isWaiting = true
    return false
  }

  func goOn() {
    isWaiting = false
    advance()
  }

  private var canTakeRequest: Bool {
    phase == .serving && answers.count < limits.pipelinedRequests && body.isComplete
      && (answers.isEmpty || successors == .shared && !isOver) && !isCongested
  }

  /// Whether the answers that are under way are the last ones, although the client may have sent more: the connection has
  /// lasted long enough, or the service has ended and the requests that had come by then are handed out.
  var isOver: Bool {
    isLifeOver || loop.now >= end || input.isPastLast
  }

  /// The service ends. A client that is silent gets a moment, since its request may be on its way.
  func quiesce() {
    if phase == .closed { return }
    stream.readTimeout = limits.lastSilence
    input.noteLast()
  }

  private func nextHead() -> ReceivedHead? {
    if let last = server.lastHead, input.begins(with: last) { return last }
    do throws(Refusal) {
      switch try input.nextHead(limits) {
      case .none: if hasEnded { endIfDone() } else { read() }
      case .incomplete:
        if hasEnded { throw .badRequest("the request isn't complete") }
        if answers.isEmpty, case .nothing = timed, !writeEnd.isSet {
          timed = .head
          stream.totalTimeout = limits.headTimeout
        }
        read()
      case .complete(let received):
        endHeadTimeout()
        if received.isToRemember { server.lastHead = received }
        return received
      }
    } catch { refuse(error) }
    return nil
  }

  func endHeadTimeout() {
    guard case .head = timed else { return }
    timed = .nothing
    stream.totalTimeout = nil
  }

  private func begin(_ received: ReceivedHead) {
    let head = received.head
    input.bytes.drop(head.end)
    body.begin(head, limits)
    let number = answers.append(PendingResponse(head))
    if isRefused { return refuseConnection(number) }
    // Where nobody will ask for it the exchange is dropped here, and so answered.
    server.deliver(HTTPExchange(self, number, received))
  }
}
#endif
