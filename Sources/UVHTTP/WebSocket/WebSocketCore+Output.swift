#if HTTP || Everything
import UV

/// Writing. Messages that are sent together leave by one write.
extension WebSocketCore {
  /// A message of the program's, or one that is encoded already.
  enum SentMessage {
    case single(WebSocketMessage)
    case encoded(EncodedWebSocketMessage)

    var byteCount: Int {
      switch self {
      case .single(.text(let text)): text.utf8.count
      case .single(.binary(let bytes)): bytes.count
      case .encoded(let message): message.frame.count
      }
    }
  }

  /// A message that waits until another one, which is written bit by bit, is complete.
  struct WaitingMessage {
    let number: Int
    let message: SentMessage
    let done: Completion<Void>
  }

  /// A ping that the peer hasn't answered.
  struct SentPing {
    let number: Int
    let data: Bytes
    let done: Completion<Void>
  }

  // MARK: Messages

  func send(_ message: SentMessage, _ done: @escaping Completion<Void>) -> PendingRequest {
    guard phase == .open else { return fail(endCode, done) }
    if !isWriting {
      put(message)
      return notify(done)
    }
    lastNumber += 1
    next.append(WaitingMessage(number: lastNumber, message: message, done: done))
    nextByteCount += message.byteCount
    return PendingRequest { [self, number = lastNumber] in
      guard let index = next.firstIndex(where: { $0.number == number }) else { return }
      let waiting = next.remove(at: index)
      nextByteCount -= waiting.message.byteCount
      _ = fail(.cancelled, waiting.done)
    }
  }

  /// Whether more than the mark waits for the peer, or for the end of the message that is written bit by bit.
  var isAboveMark: Bool { isCongested || nextByteCount > Self.mark }

  private func put(_ message: SentMessage) {
    switch message {
    case .single(.text(var text)): text.withUTF8 { put(.text, UnsafeRawBufferPointer($0)) }
    case .single(.binary(let bytes)): put(.binary, bytes)
    // Each frame of a client has a mask of its own.
    case .encoded(let message) where role == .client: put(message.opcode, message.payload)
    // Peers that get a long one of a server share its memory.
    case .encoded(let message):
      append(message.frame)
      flushLater()
    }
  }

  func put(_ opcode: Opcode, _ bytes: Bytes, isFinal: Bool = true) {
    if role == .client { return bytes.withUnsafeBytes { put(opcode, $0, isFinal: isFinal) } }
    FrameHead(opcode: opcode, isFinal: isFinal, length: bytes.count, size: 0).append(to: &output)
    append(bytes)
    flushLater()
  }

  private func put(_ opcode: Opcode, _ bytes: UnsafeRawBufferPointer, isFinal: Bool = true) {
    var head = FrameHead(opcode: opcode, isFinal: isFinal, length: bytes.count, size: 0)
    if role == .client { head.mask = .random() }
    head.append(to: &output)
    head.mask.append(bytes, to: &output)
    endAppending()
    flushLater()
  }

  /// A message that was written bit by bit is complete.
  func endWriting() {
    isWriting = false
    while phase == .open, !isWriting, !next.isEmpty {
      let waiting = next.removeFirst()
      nextByteCount -= waiting.message.byteCount
      put(waiting.message)
      _ = notify(waiting.done)
    }
    closeIfQuiescing()
  }

  /// Notifies the program that its bytes are on their way: at once, unless much waits for the peer.
  func notify(_ done: @escaping Completion<Void>) -> PendingRequest {
    guard isCongested else {
      loop.completeWrite(done)
      return PendingRequest()
    }
    flush()
    let number = senders.add(done)
    return PendingRequest { [self] in
      if let done = senders.take(number) { _ = fail(.cancelled, done) }
    }
  }

  /// Notifies the program that it can't send.
  func fail<T>(_ code: UVError.Code, _ done: @escaping Completion<T>) -> PendingRequest {
    loop.answer(done, UVError(code, operation: "webSocket"))
    return PendingRequest()
  }

  // MARK: Pings

  func ping(_ data: Bytes, _ done: @escaping Completion<Void>) -> PendingRequest {
    guard phase == .open else { return fail(endCode, done) }
    if data.count > FrameHead.mostControl { return fail(.invalidArgument, done) }
    lastNumber += 1
    pings.append(SentPing(number: lastNumber, data: data, done: done))
    sendPing(data)
    return PendingRequest { [self, number = lastNumber] in
      guard let index = pings.firstIndex(where: { $0.number == number }) else { return }
      _ = fail(.cancelled, pings.remove(at: index).done)
    }
  }

  func sendPing(_ data: Bytes) { put(.ping, data) }

  /// The peer may answer the last one of several pings only.
  func didPong(_ data: Bytes) {
    guard let index = pings.firstIndex(where: { $0.data == data }) else { return }
    for ping in pings[...index] { loop.queueMicrotask { ping.done(.success(())) } }
    pings.removeFirst(index + 1)
  }

  /// A peer that sends pings and takes no answers gets only the answer to its last one (RFC 6455, 5.5.3), so that
  /// they don't pile up.
  func answerPing(_ data: Bytes) {
    if hasSentClose { return }
    if isCongested {
      owedPong = data
    } else {
      // It is the answer to those before it, too. One may still be owed: what waits shrinks before a write has ended.
      owedPong = nil
      put(.pong, data)
    }
  }

  // MARK: Writing

  /// The system has taken what was written, or it is lost.
  func didWrite(_ result: Result<Void, UVError>) {
    writeCount -= 1
    if phase == .closed { return }
    if case .failure(let error) = result { return fail(error) }
    if writeCount == 0 { writeEnd.clear(stream) }
    if phase != .open { limitEnd() }
    if isCongested { return }
    for done in senders.takeAll() { loop.completeWrite(done) }
    if let data = owedPong.take() { answerPing(data) }
  }
}
#endif
