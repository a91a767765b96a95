#if HTTP || Everything
import HTTPTypes
import UV

/// The server's side of a connection: it reads requests, hands them out, and writes their answers in order.
final class ServerConnection: GatheringWriter, BodyReader {
  enum Phase {
    case serving
    /// The last answer has left, and the end of it leaves. Further bytes of the client are dropped.
    case ending
    /// The end has left, too, and the client's is waited for.
    case farewell
    case closed
  }

  let server: ServerCore
  let limits: HTTPLimits
  /// Whether there are too many connections, so that this one gets the answer 503 to its first request.
  let isRefused: Bool
  let end: LoopClock.Instant
  let memory: ServerMemory
  @exclusivity(unchecked) var phase = Phase.serving
  @exclusivity(unchecked) var reader: ElementReceiver<Bytes>?
  var quiescing = PendingRequest()
  /// Ends the connection when it has lasted long enough, whatever its client does.
  var life = PendingRequest()
  @exclusivity(unchecked) var isLifeOver = false

  // The bytes that have come. -

  /// Up to this count, bytes that come together are copied. A part of them that is kept then doesn't keep a
  /// loop's whole buffer.
  private static let shortInput = 4096

  /// How many bytes have come.
  @exclusivity(unchecked) private var comeCount = 0
  /// How many had come when the service ended; nil while it goes on.
  @exclusivity(unchecked) private var lastCount: Int?
  /// The bytes that have come and haven't been understood.
  @exclusivity(unchecked) var input = Bytes()
  /// Whether they are a part of more memory than a request may keep.
  @exclusivity(unchecked) private var isInputLong = false
  @exclusivity(unchecked) var isReading = false
  @exclusivity(unchecked) var hasEnded = false
  @exclusivity(unchecked) private var parser: HeadParser
  /// Whether the parser has read a part of a head.
  @exclusivity(unchecked) private var isParsing = false
  /// A request that has come, and is handed out once those before it have been answered.
  @exclusivity(unchecked) private var held: ReceivedHead?
  /// Whether a request may be handed out beside the last one.
  @exclusivity(unchecked) var lastIsShared = true
  /// Whether the connection may become another protocol's by the last request that has come.
  @exclusivity(unchecked) private(set) var mayBeUpgraded = false
  @exclusivity(unchecked) private var isAdvancing = false
  /// Whether the server has this connection go on when somebody asks.
  @exclusivity(unchecked) private var isWaiting = false
  /// Whether ``HTTPLimits/headTimeout`` counts.
  @exclusivity(unchecked) var isHeadTimed = false

  // The body of the last request. -

  @exclusivity(unchecked) var bodyParser: BodyParser
  @exclusivity(unchecked) var body: HTTPBody?
  @exclusivity(unchecked) var isBodyWanted = false
  @exclusivity(unchecked) var isBodyComplete = true
  @exclusivity(unchecked) var mayContinue = false
  @exclusivity(unchecked) var droppedCount = 0
  /// How long the body of a request has been waited for, and since when it is.
  var waited = Duration.zero
  var waitBegin: LoopClock.Instant?
  /// How many bytes were written while the body was incomplete.
  @exclusivity(unchecked) var answeredCount = 0
  /// Why the body was refused.
  @exclusivity(unchecked) var refusal: Refusal?

  // The answers. -

  /// The requests that have been handed out and aren't answered, in order.
  @exclusivity(unchecked) var turns: [PendingResponse] = []
  /// The number of the first of them.
  @exclusivity(unchecked) var firstNumber = 0
  @exclusivity(unchecked) var isEndingTurns = false
  /// Those who hear of it if the connection ends before an answer is complete, by the answer's number.
  @exclusivity(unchecked) var lost: [Int: (UVError.Code) -> Void] = [:]
  /// Those who wait for the client to go, by the answer's number.
  @exclusivity(unchecked) var departures: [Int: Waiters<Void>] = [:]
  /// Whether the connection ends after the answer that has been begun last.
  @exclusivity(unchecked) var isLast = false
  /// The error of answers that can't be given any more.
  var endCode = UVError.Code.brokenPipe
  /// Those who wait until the system has taken all that was written.
  @exclusivity(unchecked) var writers: [Completion<Void>] = []

  init(_ stream: ByteStream, _ server: ServerCore, isRefused: Bool) {
    (self.server, self.isRefused) = (server, isRefused)
    limits = server.limits
    parser = HeadParser(limits)
    bodyParser = BodyParser(.none, limits)
    memory = ServerMemory.ofLoop[stream.loop]
    end = stream.loop.now.advanced(by: limits.lifetime)
    super.init(stream)
  }

  override var isClosed: Bool { phase == .closed }

  override func noteWrite(_ count: Int) {
    if stream.writeQueueSize > 0 { beginWaitingForClient(count) }
    if isBodyComplete { return }
    answeredCount += count
    if waitBegin != nil { waitForBody() }
  }

  func begin() {
    stream.readTimeout = isRefused ? limits.lastSilence : limits.idleTimeout
    stream.writeTimeout = limits.idleTimeout
    // All are let go of when the connection closes. A weak reference would make counting references slow.
    quiescing = stream.quiescing { [self] result in
      if case .success = result { quiesce() }
    }
    reader = ElementReceiver { [self] _, result in didRead(result) }
    didWrite = { [self] in didWrite($0) }
    limitLife()
    // An answer is written whole, so the system needn't wait for more of it. A connection that has gone says
    // so when it is read.
    try? stream.setTCPNoDelay(true)
    read()
  }

  // MARK: Reading

  func read() {
    guard !isReading, !hasEnded, phase != .closed, let reader else { return }
    isReading = true
    stream.next(for: reader)
  }

  private func didRead(_ result: Result<Bytes?, UVError>) {
    isReading = false
    switch (phase, result) {
    case (.closed, _): break
    case (.ending, .success(let bytes?)), (.farewell, .success(let bytes?)): drop(bytes.count)
    case (.ending, .success(nil)): hasEnded = true
    case (.ending, .failure), (.farewell, _): close()
    case (.serving, .success(let bytes?)):
      if !isBodyComplete { pauseBodyTime() }
      take(bytes)
      advance()
    case (.serving, .success(nil)):
      hasEnded = true
      tellDeparture()
      advance()
    case (.serving, .failure(let error)): didFail(error)
    }
  }

  private func take(_ bytes: Bytes) {
    comeCount &+= bytes.count
    if !input.isEmpty {
      input = input.followed(by: bytes)
    } else if isBodyComplete, bytes.count <= Self.shortInput {
      if let last = server.lastHead, bytes == last.bytes { input = last.bytes } else { input = bytes.copy() }
    } else {
      input = bytes
    }
    isInputLong = input.count > Self.shortInput
  }

  private func didFail(_ error: UVError) {
    if error.code != .timedOut || stream.isClosing {
      body?.finish(error)
      return close()
    }
    if !isBodyComplete {
      // The program has ceased to ask, and will ask again. The body's time is set anew then.
      if !isBodyWanted, !turns.isEmpty {
        if !writeEnd.isSet { stream.totalTimeout = nil }
        return readAhead()
      }
      // While bytes wait for the client, its time is that of the write.
      if writeEnd.isSet { return read() }
      return refuseBody(Refusal(code: 408, reason: "the body took too long"), error)
    }
    // The client waits for its answers.
    if !turns.isEmpty || writeCount > 0 { return advance() }
    if input.isEmpty { return close() }
    refuse(Refusal(code: 408, reason: "the request took too long"))
  }

  /// Goes on with what has come.
  func advance() {
    if isBodyComplete { takeRequests() } else { readBody() }
    readAhead()
  }

  /// A request isn't answered by another protocol, also if it has asked for one. So one may read beyond it.
  func willNotBeUpgraded(_ number: Int) {
    if held != nil || number != firstNumber + turns.count - 1 { return }
    mayBeUpgraded = false
    readAhead()
  }

  /// Reads once beyond the requests that have come, although what follows them may have to wait: a client that has gone
  /// is noticed by reading alone. Behind a request for another protocol whoever takes the connection over reads.
  func readAhead() {
    if turns.isEmpty || isReading || mayBeUpgraded { return }
    // How many bytes belong to what has come. Chunks that nobody has asked for may have as many as they like.
    var count = bodyParser.rest
    if isBodyComplete || mayContinue { count = 0 }
    if let held { count = held.head.end }
    if input.count == count { read() }
  }

  private func takeRequests() {
    // A request that nobody wants is answered at once, and this function is called again.
    if isAdvancing { return }
    isAdvancing = true
    defer { isAdvancing = false }
    while canTakeRequest, isWanted(), let received = held ?? nextHead() {
      mayBeUpgraded = received.head.hasUpgrade || received.head.isConnect
      if !turns.isEmpty, !received.head.isShared {
        held = received
        return
      }
      held = nil
      begin(received)
    }
  }

  /// Whether to look for a request. Bytes that nobody asks for stay as they are, and no more are read.
  private func isWanted() -> Bool {
    if server.isWanted || isRefused || input.isEmpty && held == nil { return true }
    if !isWaiting { server.wait(self) }
    isWaiting = true
    return false
  }

  func goOn() {
    isWaiting = false
    advance()
  }

  private var canTakeRequest: Bool {
    phase == .serving && !isLast && turns.count < limits.pipelinedRequests && isBodyComplete
      && (turns.isEmpty || lastIsShared && !isOver) && !isCongested
  }

  /// Whether the answers that are under way are the last ones, although the client may have sent more: the connection has
  /// lasted long enough, or the service has ended and the requests that had come by then are handed out.
  var isOver: Bool {
    if isLifeOver || loop.now >= end { return true }
    return lastCount.map { comeCount &- input.count >= $0 } ?? false
  }

  /// The service ends. A client that is silent gets a moment, since its request may be on its way.
  func quiesce() {
    if phase == .closed { return }
    stream.readTimeout = limits.lastSilence
    lastCount = lastCount ?? comeCount
  }

  private func nextHead() -> ReceivedHead? {
    if input.isEmpty {
      if hasEnded { endIfDone() } else { read() }
      return nil
    }
    if !isParsing, let last = server.lastHead, input.starts(with: last.bytes) { return last }
    do throws(Refusal) {
      if let head = try parser.parse(input.span) {
        endHeadTimeout()
        parser = HeadParser(limits)
        isParsing = false
        let bytes = Bytes(input[..<head.end])
        let received = ReceivedHead(head, isInputLong ? bytes.copy() : bytes)
        if received.isToRemember { server.lastHead = received }
        return received
      }
      isParsing = true
      if hasEnded { throw .badRequest("the request isn't complete") }
      if turns.isEmpty, !isHeadTimed, !writeEnd.isSet {
        isHeadTimed = true
        stream.totalTimeout = limits.headTimeout
      }
      read()
    } catch { refuse(error) }
    return nil
  }

  func endHeadTimeout() {
    if !isHeadTimed { return }
    isHeadTimed = false
    stream.totalTimeout = nil
  }

  private func begin(_ received: ReceivedHead) {
    let head = received.head
    input.drop(head.end)
    lastIsShared = head.isShared && head.keepsAlive
    isBodyComplete = head.framing == .none
    mayContinue = head.expectsContinue
    refusal = nil
    if !isBodyComplete {
      bodyParser = BodyParser(head.framing, limits)
      (isBodyWanted, droppedCount, waited, answeredCount) = (false, 0, .zero, 0)
    }
    let number = firstNumber + turns.count
    turns.append(PendingResponse(head))
    if isRefused { return refuseConnection(number) }
    // Where nobody will ask for it the exchange is dropped here, and so answered.
    server.deliver(HTTPExchange(self, number, received))
  }
}
#endif
