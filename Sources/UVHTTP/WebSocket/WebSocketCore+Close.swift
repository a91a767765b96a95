#if HTTP || Everything
import UV

/// The end of a WebSocket, in good order or not (RFC 6455, 7).
extension WebSocketCore {
  static func maySend(_ code: WebSocketCloseCode, _ reason: String) -> Bool {
    code.isValid && reason.utf8.count <= FrameHead.mostControl - 2
  }

  func close(
    _ code: WebSocketCloseCode, _ reason: String, _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    guard Self.maySend(code, reason) else { return fail(.invalidArgument, done) }
    if phase == .closed {
      loop.queueMicrotask { [self] in done(end) }
      return PendingRequest()
    }
    let number = closers.add(done)
    beginClose(code, reason)
    return PendingRequest { [self] in
      if let done = closers.take(number) { _ = fail(.cancelled, done) }
    }
  }

  /// Says that this side closes, and waits for the peer's answer.
  func beginClose(_ code: WebSocketCloseCode, _ reason: String = "") {
    guard phase == .open else { return }
    phase = .closing
    sendClose(WebSocketClose(code: code, reason: reason))
    limitEnd()
    advance()
  }

  /// The peer closes, or answers.
  func didClose(_ close: WebSocketClose) {
    peerClose = close
    sendClose(WebSocketClose(code: close.code, reason: ""))
    finish(.success(()))
    // The server ends the connection first, so that the client's port is free at once (RFC 6455, 7.1.1).
    end(shutsDown: role == .server)
  }

  /// The peer has broken the protocol, or a limit.
  func refuse(_ fault: WebSocketFault, _ code: UVError.Code) {
    sendClose(WebSocketClose(code: fault.code, reason: fault.reason))
    endCode = code
    finish(.failure(UVError(code, operation: "webSocket", message: fault.reason)))
    end(shutsDown: true)
  }

  private func sendClose(_ close: WebSocketClose) {
    if hasSentClose { return }
    hasSentClose = true
    owedPong = nil
    var payload = BytesBuilder()
    if close.code != .noStatus {
      payload.append(bigEndian: close.code.rawValue)
      payload.append(close.reason)
    }
    put(.close, payload.takeBytes())
    // Messages after a close aren't sent.
    for waiting in next { _ = fail(endCode, waiting.done) }
    (next, nextByteCount) = ([], 0)
  }

  private func end(shutsDown: Bool) {
    phase = .ending
    limitEnd()
    // The end is read below, or else the time is over. A connection that has gone says so there, too.
    if shutsDown { stream.shutdown { _ in } }
    read()
  }

  /// Limits the time from when the close has left. Writes before it have limits of their own.
  func limitEnd() {
    stream.readTimeout = nil
    flush()
    if closeTimer != nil || writeCount > 0 { return }
    closeTimer = loop.sleepQuietly(for: limits.closeTimeout) { [self] result in
      if case .success = result { fail(UVError(.timedOut, operation: "webSocket", subject: "close")) }
    }
  }

  /// The connection is lost.
  func fail(_ error: UVError) {
    if phase == .closed { return }
    if peerClose == nil { endCode = error.code }
    finish(.failure(error))
    close()
  }

  /// Closes the connection. Callers that wait are answered.
  func close() {
    if phase == .closed { return }
    phase = .closed
    letGo()
    closeTimer?.cancel()
    let lost = UVError(endCode, operation: "webSocket")
    finish(.failure(lost))
    let waiting = senders.takeAll() + next.map(\.done) + pings.map(\.done)
    (next, nextByteCount, pings) = ([], 0, [])
    for done in waiting { loop.answer(done, lost) }
    let (closers, end) = (closers.takeAll(), end)
    stream.close().start { _ in
      for done in closers { done(end) }
    }
  }

  /// How the connection has ended for callers that close.
  private var end: Result<Void, UVError> {
    peerClose == nil ? .failure(UVError(endCode, operation: "webSocket")) : .success(())
  }
}
#endif
