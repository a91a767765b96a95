#if HTTP || Everything
import UV

/// A WebSocket's connection: it reads messages, answers control frames, and ends in good order.
///
/// It reads while nobody asks, too, until a message is there. So pings are answered, and the peer's end is seen, in a
/// program that only sends.
final class WebSocketCore: GatheringWriter {
  enum Role { case server, client }

  enum Phase {
    case open
    /// This side has closed, and the peer hasn't answered.
    case closing
    /// Both sides have closed, or the peer is refused. The connection ends; what comes is dropped.
    case ending
    case closed
  }

  let role: Role
  let limits: WebSocketLimits
  var phase = Phase.open

  // Reading. -

  private var input = Bytes()
  private var parser: MessageParser
  private var reader: _ElementReceiver<Bytes>?
  private var isReading = false
  /// When the message or the frame that has begun must be complete.
  private var messageEnd: LoopClock.Instant?
  /// Whether a ping has been sent because the peer was silent.
  private var isTesting = false
  /// Where messages go, while somebody asks for them.
  private var source: CustomSource<WebSocketMessage>?
  /// The messages that nobody has asked for.
  private var unasked: [WebSocketMessage] = []
  private var hasAsked = false
  /// How the source ends, once somebody asks.
  private var outcome: Result<Void, UVError>?
  private var quiescing = PendingRequest()

  // Writing; see WebSocketCore+Output. -

  /// Writers that wait until less waits for the peer.
  var senders = Waiters<Void>()
  /// Whether a message is written bit by bit.
  var isWriting = false
  /// Writers that send after that.
  var next: [WaitingMessage] = []
  var nextByteCount = 0
  var lastNumber = 0
  var pings: [SentPing] = []
  /// The last ping of a peer that doesn't read its answers.
  var owedPong: Bytes?

  // The end; see WebSocketCore+Close. -

  var peerClose: WebSocketClose?
  var hasSentClose = false
  /// The error of what can't be sent any more.
  var endCode = UVError.Code.brokenPipe
  var closers = Waiters<Void>()
  var closeTimer: PendingRequest?
  private var droppedCount = 0

  init(_ stream: ByteStream, _ role: Role, _ limits: WebSocketLimits) {
    (self.role, self.limits) = (role, limits)
    parser = MessageParser(limits, isMasked: role == .server)
    super.init(stream)
    stream.writeTimeout = limits.silence
    listen()
    // All are let go of when the connection closes. A weak reference would make counting references slow.
    quiescing = stream.quiescing { [self] in didQuiesce($0) }
    reader = _ElementReceiver { [self] _, result in didRead(result) }
    didWrite = { [self] in didWrite($0) }
    read()
  }

  override var isClosed: Bool { phase == .closed }

  override func noteWrite(_ count: Int) {
    if stream.writeQueueSize == 0 { return }
    let time = WriteDeadline.time(for: count, rate: limits.minimumRate)
    writeEnd.extend(stream, by: time, silence: limits.silence)
  }

  // MARK: Asking

  func resume(_ source: CustomSource<WebSocketMessage>) {
    self.source = source
    hasAsked = true
    for message in unasked { source.send(message) }
    unasked = []
    if outcome == nil { advance() } else { reportEnd() }
  }

  func pause() { source = nil }

  /// Nobody can ask any more. A server's program that hasn't closed before has failed, unless the service ends.
  func abandon() {
    unasked = []
    if phase == .open { beginClose(role == .client || stream.isQuiescing ? .goingAway : .internalError) }
  }

  private func deliver(_ message: WebSocketMessage) {
    // A program that has closed, and doesn't ask, wants no more messages.
    if let source { source.send(message) } else if phase == .open { unasked.append(message) }
  }

  /// Ends the source. Only the first call counts.
  func finish(_ outcome: Result<Void, UVError>) {
    if self.outcome != nil { return }
    self.outcome = outcome
    reportEnd()
  }

  private func reportEnd() {
    guard let outcome, let source = source.take() else { return }
    if case .failure(let error) = outcome { source.finish(error) } else { source.finish() }
  }

  // MARK: Reading

  func read() {
    guard !isReading, phase != .closed, let reader else { return }
    isReading = true
    stream._next(for: reader)
  }

  private func didRead(_ result: Result<Bytes?, UVError>) {
    isReading = false
    switch result {
    case _ where phase == .closed: break
    case .success(let bytes?) where phase == .ending: drop(bytes.count)
    case .success(let bytes?):
      if isTesting { listen() }
      input = input.isEmpty ? bytes : input.followed(by: bytes)
      if let messageEnd, loop.now >= messageEnd {
        refuse(WebSocketFault(code: .policyViolation, reason: "a message took too long"), .timedOut)
      } else {
        advance()
      }
    case .success(nil) where phase == .ending: close()
    case .success(nil): fail(UVError(.endOfFile, operation: "webSocket"))
    case .failure(let error) where error.code == .timedOut && !stream.isClosing: didFallSilent(error)
    case .failure(let error): fail(error)
    }
  }

  /// Goes on with what has come.
  func advance() {
    while phase == .open && (source != nil || unasked.isEmpty) || phase == .closing {
      do throws(WebSocketFault) {
        switch try parser.next(from: &input) {
        case .incomplete: return awaitMore()
        case .message(let message): deliver(message)
        case .ping(let data): answerPing(data)
        case .pong(let data): didPong(data)
        case .close(let close): didClose(close)
        }
        if !parser.isWithinMessage { messageEnd = nil }
      } catch { refuse(error, error.code == .messageTooBig ? .messageTooLong : .protocolError) }
    }
    if phase == .ending { read() }
  }

  private func awaitMore() {
    if input.isEmpty {
      // No bytes would keep what they were read with.
      input = Bytes()
    }
    if messageEnd == nil, !input.isEmpty || parser.isWithinMessage {
      messageEnd = loop.now.advanced(by: limits.messageTimeout)
    }
    read()
  }

  /// The peer is there.
  private func listen() {
    isTesting = false
    stream.readTimeout = limits.keepAlive.map { min($0, limits.silence) } ?? limits.silence
  }

  private func didFallSilent(_ error: UVError) {
    // While bytes wait for the peer, its time is that of the write. A ping would stand behind them.
    guard phase == .open, writeCount == 0 else { return read() }
    guard !isTesting, let keepAlive = limits.keepAlive, keepAlive < limits.silence else { return fail(error) }
    isTesting = true
    stream.readTimeout = limits.silence - keepAlive
    sendPing("keep-alive")
    read()
  }

  /// Bytes of a peer to which the end is being sent. If they were left in the system as the connection closes, that would
  /// reset it, and the peer might not get the last word.
  private func drop(_ count: Int) {
    droppedCount += count
    if droppedCount > Self.mostDropped { close() } else { read() }
  }

  private static let mostDropped = 1 << 20

  // MARK: The end of the service

  private func didQuiesce(_ result: Result<Void, UVError>) {
    // The connection has been closed, and perhaps nobody reads.
    if case .failure(let error) = result { return fail(error) }
    closeIfQuiescing()
  }

  /// Closes if the service ends. A program that waits for messages is done with those before, and so is one that
  /// never asks. Another one may still answer what it works on. It is looked at when it asks again, and when a
  /// message is complete that it writes bit by bit.
  func closeIfQuiescing() {
    guard phase == .open, stream.isQuiescing, !isWriting else { return }
    if source?.isWaitedFor ?? !hasAsked { beginClose(.goingAway) }
  }

  /// Lets go of everything but the stream.
  func letGo() {
    reader = nil
    didWrite = { _ in }
    quiescing.cancel()
    input = Bytes()
    longOutput = []
  }
}
#endif
