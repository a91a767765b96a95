import HTTPTypes
import UV

/// Answering, and what follows an answer.
extension ServerConnection {
  /// An answer of so many bytes may be more than one wait for the client.
  private static let longAnswer = 4096

  func exchangeWasDropped() {
    guard phase == .exchange, !isAnswered else { return }
    refuse(refusal ?? Refusal(code: 500, reason: "there is no answer"))
  }

  /// Tells the program that it can't answer so.
  func fail<T>(_ code: UVError.Code, _ done: @escaping Completion<T>) -> PendingRequest {
    loop.queueMicrotask { done(.failure(UVError(code, operation: "respond"))) }
    return PendingRequest()
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

  /// Writes a whole answer. The next request is read when the system has taken it.
  func answer(
    _ response: HTTPResponse, _ bytes: Bytes, _ framing: ResponseHead.Framing,
    _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    let head = beginAnswer(response, framing)
    endAnswer()
    return write(self.head.isHead || bytes.isEmpty ? [head] : [head, bytes]) { [self] result in
      done(result)
      didAnswer(result)
    }
  }

  /// Writes an answer whose body is a part of a file.
  func answer(
    _ response: HTTPResponse, _ file: File, from offset: Int64, count: Int, _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    let head = beginAnswer(response, .length(count))
    endAnswer()
    let sendsFile = !self.head.isHead && count > 0
    return write([head]) { [self] result in
      guard sendsFile, case .success = result else {
        done(result)
        return didAnswer(result)
      }
      stream.totalTimeout = limits.time(for: count)
      stream.sendfile(file, from: offset, count: count) { [self] result in
        stream.totalTimeout = nil
        // The client has been promised more than a file has that has become shorter.
        let outcome = result.flatMap { sent -> Result<Void, UVError> in
          sent == count ? .success(()) : .failure(UVError(.endOfFile, operation: "fs_sendfile"))
        }
        done(outcome)
        didAnswer(outcome)
      }
    }
  }

  /// The head of an answer, of which nothing has been written yet.
  func beginAnswer(_ response: HTTPResponse, _ framing: ResponseHead.Framing) -> Bytes {
    decideWhetherLast(response)
    if case .untilClose = framing { isLast = true }
    var head = ResponseHead.bytes(
      response, framing, isLast: isLast, minorVersion: self.head.minorVersion,
      date: DateField.ofLoop[loop].now)
    return head.takeBytes()
  }

  /// Nobody reads the body any more.
  func endAnswer() {
    isAnswered = true
    if isBodyComplete { return }
    body?.finish(UVError(.cancelled, operation: "read"))
    body = nil
  }

  /// Writes a part of an answer. A client that takes a byte now and then renews the timeout of silence, and
  /// not that of the whole.
  func write(_ buffers: [Bytes], _ done: @escaping Completion<Void>) -> PendingRequest {
    let count = buffers.reduce(0) { $0 + $1.count }
    let isLimited = count > Self.longAnswer && (isBodyComplete || isAnswered)
    if isLimited { stream.totalTimeout = limits.time(for: count) }
    return stream.write(buffers) { [self] result in
      if isLimited { stream.totalTimeout = nil }
      done(result)
    }
  }

  /// The system has taken all of an answer, or it is lost.
  func didAnswer(_ result: Result<Void, UVError>) {
    guard case .success = result else { return close() }
    hasLeft = true
    if isBodyComplete || isLast { goOnIfDone() } else { readBody() }
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

  /// Ends the connection so that the client gets the last answer. If the client still sent when the
  /// connection closes, the system would reset it, and throw the answer away.
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
