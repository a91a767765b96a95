#if HTTP || Everything
import HTTPTypes
import UV

/// The end of a connection, in good order or not.
extension ServerConnection {
  /// Answers what isn't a request, after those before it, and ends the connection.
  func refuse(_ refusal: Refusal) {
    endHeadTimeout()
    successors = .held
    input.bytes = Bytes()
    answer(answers.append(PendingResponse()), refusal)
  }

  /// Answers the first request of a connection that is one too many, and ends it.
  func refuseConnection(_ number: Int) {
    let refusal = Refusal(status: .serviceUnavailable, reason: "there are too many connections")
    body.refusal = refusal
    answer(number, refusal)
  }

  /// Ends the connection once the system has taken the last answer.
  func endIfDone() {
    guard isServing, answers.isEmpty, isLast || hasEnded && body.isComplete && input.bytes.isEmpty else {
      return
    }
    flush()
    if writeCount == 0 { beginFarewell() }
  }

  /// Ends the connection so that the client gets the last answer. If the client still sent when the
  /// connection closes, the system would reset it, and throw the answer away.
  func beginFarewell() {
    enter(.ending)
    body.droppedCount = input.bytes.count
    input.bytes = Bytes()
    stream.readTimeout = limits.farewell
    stream.totalTimeout = limits.farewell
    // Also after the client's end: a close alone may have no room for TLS' sign of the end.
    stream.shutdown { [self] result in
      if phase == .closed { return }
      enter(.farewell)
      if case .success = result, !hasEnded { read() } else { close() }
    }
  }

  func drop(_ count: Int) {
    body.droppedCount += count
    if body.droppedCount > limits.unreadBody { close() } else { read() }
  }

  func close() {
    if phase == .closed { return }
    enter(.closed)
    // An answer that has its end there must not look complete.
    let isCutOff = answers.endsWithConnection
    letGo(areAnswered: false)
    if isCutOff { stream.cutOff() } else { stream.close() }
  }

  /// Lets go of everything but the stream. Callers that wait are notified.
  func letGo(areAnswered: Bool) {
    reader = nil
    didWrite = { _ in }
    quiescing.cancel()
    life.drop()
    body.source.take()?.finish(UVError(.cancelled, operation: "read"))
    input.bytes = Bytes()
    longOutput = []
    for body in answers.removeAll(areAnswered: areAnswered) { body() }
    reportLost()
    notifyWriters(.failure(UVError(endCode, operation: "respond")))
    server.didClose(self)
  }
}

/// A connection that becomes another protocol's.
extension ServerConnection {
  /// Answers, and gives the stream away with what has been read of it beyond the request.
  func upgrade(
    _ number: Int, _ response: HTTPResponse, _ done: @escaping Completion<ByteStream>
  ) -> PendingRequest {
    // No other request is handed out beside it, so it is its turn.
    guard isTurn(number) else { return fail(endCode, done) }
    assert(reading != .underWay && answers.count == 1, "a request for another protocol isn't alone")
    flush()
    _ = ResponseHead(response, .none).append(to: &output, isLast: false, minorVersion: 1, date: memory.date)
    return stream.write(output.takeBytes()) { [self] result in
      if case .failure(let error) = result {
        close()
        return done(.failure(error))
      }
      if phase == .closed { return done(.failure(UVError(endCode, operation: "upgrade"))) }
      enter(.closed)
      (stream.readTimeout, stream.writeTimeout, stream.totalTimeout) = (nil, nil, nil)
      stream.unread(input.bytes)
      reportStay(number)
      letGo(areAnswered: true)
      done(.success(stream))
    }
  }
}
#endif
