import HTTPTypes
import UV

/// Answering, and what follows an answer.
extension ServerConnection {
  func exchangeWasDropped() {
    guard phase == .exchange, !isAnswered else { return }
    refuse(refusal ?? Refusal(code: 500, reason: "there is no answer"))
  }

  /// Answers without the program, and ends the connection.
  func refuse(_ refusal: Refusal) {
    isLast = true
    phase = .exchange
    self.refusal = refusal
    stream.totalTimeout = nil
    var response = HTTPResponse(status: refusal.status)
    response.headerFields[.contentType] = "text/plain; charset=utf-8"
    let text = Bytes("\(refusal.code) \(refusal.reason)\n")
    _ = answer(response, text, .length(text.count)) { _ in }
  }

  /// Writes an answer. The next request is read when the system has taken it.
  func answer(
    _ response: HTTPResponse, _ bytes: Bytes, _ framing: ResponseHead.Framing,
    _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    isAnswered = true
    decideWhetherLast(response)
    var head = ResponseHead.bytes(
      response, framing, isLast: isLast, minorVersion: self.head.minorVersion,
      date: DateField.ofLoop[loop].now)
    let body = self.head.isHead ? Bytes() : bytes
    if !isBodyComplete {
      self.body?.finish(UVError(.cancelled, operation: "read"))
      self.body = nil
    }
    return stream.write(body.isEmpty ? [head.takeBytes()] : [head.takeBytes(), body]) { [self] result in
      done(result)
      guard case .success = result else { return close() }
      hasLeft = true
      if isBodyComplete || isLast { goOnIfDone() } else { readBody() }
    }
  }

  func decideWhetherLast(_ response: HTTPResponse) {
    if !head.keepsAlive || stream.isQuiescing || server.isClosing || hasEnded || loop.now >= end {
      isLast = true
    }
    if response.headerFields[.connection]?.lowercased() == "close" { isLast = true }
    // The client may send its body or not. Nobody knows what comes next.
    if mayContinue { isLast = true }
    if case .length(let count) = head.framing, !isBodyComplete, count - bodyParser.count > limits.unreadBody {
      isLast = true
    }
  }

  func goOnIfDone() {
    guard phase == .exchange, hasLeft else { return }
    if isLast { return beginFarewell() }
    guard isBodyComplete else { return }
    phase = .head
    parser = HeadParser(limits)
    head = RequestHead()
    // Not on the stack of the requests before it.
    loop.queueMicrotask { [self] in advance() }
  }

  /// Ends the connection so that the client gets the last answer. If the client still sent when the connection closes, the system
  /// would reset it, and throw the answer away.
  func beginFarewell() {
    phase = .farewell
    droppedCount = input.count
    input = Bytes()
    if hasEnded { return close() }
    stream.readTimeout = limits.farewell
    stream.totalTimeout = limits.farewell
    stream.shutdown { [self] result in
      if case .success = result { read() } else { close() }
    }
  }

  func drop(_ count: Int) {
    droppedCount += count
    if droppedCount > limits.unreadBody { close() } else { read() }
  }
}

extension Refusal {
  var status: HTTPResponse.Status {
    switch code {
    case 400: .badRequest
    case 408: .requestTimeout
    case 413: .contentTooLarge
    case 414: .uriTooLong
    case 417: .expectationFailed
    case 431: .requestHeaderFieldsTooLarge
    case 501: .notImplemented
    case 505: .httpVersionNotSupported
    default: .internalServerError
    }
  }
}
