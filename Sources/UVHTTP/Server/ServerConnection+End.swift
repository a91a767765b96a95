#if HTTP || Everything
import HTTPTypes
import UV

/// The end of a connection, in good order or not.
extension ServerConnection {
  /// Answers what isn't a request, after those before it, and ends the connection.
  func refuse(_ refusal: Refusal) {
    endHeadTimeout()
    lastIsShared = false
    input = Bytes()
    let number = firstNumber + turns.count
    turns.append(PendingResponse())
    answer(number, refusal)
  }

  /// Answers the first request of a connection that is one too many, and ends it.
  func refuseConnection(_ number: Int) {
    let refusal = Refusal(code: 503, reason: "there are too many connections")
    self.refusal = refusal
    answer(number, refusal)
  }

  /// Ends the connection once the system has taken the last answer.
  func endIfDone() {
    guard phase == .serving, turns.isEmpty, isLast || hasEnded && isBodyComplete && input.isEmpty else {
      return
    }
    flush()
    if writeCount == 0 { beginFarewell() }
  }

  /// Ends the connection so that the client gets the last answer. If the client still sent when the
  /// connection closes, the system would reset it, and throw the answer away.
  func beginFarewell() {
    phase = .ending
    droppedCount = input.count
    input = Bytes()
    stream.readTimeout = limits.farewell
    stream.totalTimeout = limits.farewell
    // Also after the client's end: a close alone may have no room for TLS' sign of the end.
    stream.shutdown { [self] result in
      if phase == .closed { return }
      phase = .farewell
      if case .success = result, !hasEnded { read() } else { close() }
    }
  }

  func drop(_ count: Int) {
    droppedCount += count
    if droppedCount > limits.unreadBody { close() } else { read() }
  }

  func close() {
    if phase == .closed { return }
    phase = .closed
    // An answer that has its end there must not look complete.
    let isCutOff = turns.first?.endsWithConnection ?? false
    letGo()
    if isCutOff { stream.cutOff() } else { stream.close() }
  }

  /// Lets go of everything but the stream. Callers that wait are answered.
  func letGo() {
    reader = nil
    didWrite = { _ in }
    quiescing.cancel()
    life.drop()
    body?.finish(UVError(.cancelled, operation: "read"))
    body = nil
    input = Bytes()
    longOutput = []
    let waiting = turns.flatMap(\.waiting)
    turns = []
    for body in waiting { body() }
    tellLost()
    tellWriters(.failure(UVError(endCode, operation: "respond")))
    server.didClose(self)
  }
}
#endif
