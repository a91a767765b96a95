#if HTTP || Everything
import HTTPTypes
import UV

/// Answers, each when those before it have been given.
extension ServerConnection {
  /// Whether an answer may be written now.
  func isTurn(_ number: Int) -> Bool { number == answers.firstNumber && !answers.isEmpty && isServing }

  /// Has `body` called when it is an answer's turn, and at once if the connection has ended.
  ///
  /// - Returns: A way to give the answer up, which ends the connection. From the answer's turn on it is the one that `body`
  ///   returns.
  func wait(_ number: Int, _ body: @escaping () -> PendingRequest) -> PendingRequest {
    var given: PendingRequest?
    let give = { given = body() }
    guard isServing, answers.wait(number, give) else {
      loop.queueMicrotask(give)
      return PendingRequest()
    }
    return PendingRequest { [self] in if let given { given.cancel() } else { giveUp() } }
  }

  /// Has `body` called if the connection ends before an answer is complete.
  func whenLost(_ number: Int, _ body: @escaping (UVError.Code) -> Void) {
    if !hasGone(number) { answers.lost[number] = body }
  }

  /// Notifies the program that it can't answer so.
  func fail<T>(_ code: UVError.Code, _ done: @escaping Completion<T>) -> PendingRequest {
    loop.queueMicrotask { done(.failure(UVError(code, operation: "respond"))) }
    return PendingRequest()
  }

  /// Ends the connection, because the program has cancelled an answer.
  func giveUp() {
    endCode = .cancelled
    close()
  }

  /// The program has lost a request, perhaps because it was to read no more of the body than a limit.
  func exchangeWasDropped(_ number: Int, _ refusal: Refusal?) {
    if !isServing { return }
    answer(
      number, body.refusal ?? refusal ?? Refusal(status: .internalServerError, reason: "there is no answer"))
  }

  /// Answers in the program's place.
  func answer(_ number: Int, _ refusal: Refusal) {
    var response = HTTPResponse(status: refusal.status)
    response.headerFields[.contentType] = "text/plain; charset=utf-8"
    let text = Bytes("\(refusal.status.code) \(refusal.reason)\n")
    _ = answer(number, ResponseHead(response, .length(text.count)), text) { _ in }
  }

  /// Gives an interim answer, which the final one follows. A client of HTTP/1.0 gets none (RFC 9110, 15.2).
  func inform(_ number: Int, _ response: HTTPResponse, _ done: @escaping Completion<Void>) -> PendingRequest {
    guard isTurn(number) else {
      if hasGone(number) { return fail(endCode, done) }
      return wait(number) { [self] in inform(number, response, done) }
    }
    if answers.first.minorVersion > 0 {
      _ = ResponseHead.append(response.status, response.headerFields, to: &output)
      output.append("\r\n")
      flushLater()
    }
    return notify(done)
  }

  /// Gives a whole answer.
  func answer(
    _ number: Int, _ head: ResponseHead, _ bytes: Bytes, _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    guard isTurn(number) else {
      if hasGone(number) { return fail(endCode, done) }
      return wait(number) { [self] in answer(number, head, bytes, done) }
    }
    put(head, bytes)
    defer { endTurn() }
    return notify(done)
  }

  /// Writes a whole answer, whose turn it is.
  func put(_ head: ResponseHead, _ bytes: Bytes) {
    makeRoom(for: bytes.count)
    begin(head)
    if !answers.first.isHead { append(bytes) }
  }

  /// Gives an answer whose body is a part of a file.
  func answer(
    _ number: Int, _ head: ResponseHead, _ file: File, from offset: Int64, count: Int,
    _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    guard isTurn(number) else {
      if hasGone(number) { return fail(endCode, done) }
      return wait(number) { [self] in answer(number, head, file, from: offset, count: count, done) }
    }
    begin(head)
    if answers.first.isHead || count == 0 {
      defer { endTurn() }
      return notify(done)
    }
    return put(file, from: offset, count: count) { [self] outcome in
      done(outcome)
      if case .success = outcome, isServing { endTurn() }
    }
  }

  /// Writes a part of a file, 1 byte or more, whose turn it is. Nothing else may be written meanwhile.
  func put(
    _ file: File, from offset: Int64, count: Int, _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    flush()
    if !body.isComplete { body.answeredCount += count }
    beginWaitingForClient(count)
    writeCount += 1
    return send(file, from: offset, count: count) { [self] result in
      // The client has been promised more than a file has that has become shorter.
      var outcome = result.flatMap { sent -> Result<Void, UVError> in
        sent == count ? .success(()) : .failure(UVError(.endOfFile, operation: "fs_sendfile"))
      }
      // The program has cancelled nothing if the connection has ended before.
      if phase == .closed, case .failure(let error) = outcome, error.code == .cancelled {
        outcome = .failure(UVError(endCode, operation: "respond"))
      }
      // Nothing follows a part that is missing.
      if case .failure = outcome { close() }
      // Before the program is notified: it may write more, for which the client has time of its own.
      if writeCount == 1 { writeEnd.clear(stream) }
      done(outcome)
      didWrite(outcome)
    }
  }

  /// Sends bytes of a file, once the stream has none left that were written before.
  private func send(
    _ file: File, from offset: Int64, count: Int, _ done: @escaping Completion<Int>
  ) -> PendingRequest {
    var (pending, isCancelled) = (PendingRequest(), false)
    pending = stream.sendfile(file, from: offset, count: count) { [self] result in
      guard case .failure(let error) = result, error.code == .busy else { return done(result) }
      if isCancelled { return done(.failure(UVError(.cancelled, operation: "fs_sendfile"))) }
      pending = stream.drain { [self] result in
        if case .failure(let error) = result { return done(.failure(error)) }
        pending = stream.sendfile(file, from: offset, count: count, done)
      }
    }
    return PendingRequest {
      isCancelled = true
      pending.cancel()
    }
  }

  /// Whether the connection takes no answer any more to a request.
  func hasGone(_ number: Int) -> Bool { !isServing || number < answers.firstNumber || answers.isEmpty }

  /// Writes the head of an answer.
  func begin(_ head: ResponseHead) {
    answers.begin(head.framing)
    decideWhetherLast()
    let minorVersion = answers.first.minorVersion
    if head.append(to: &output, isLast: isLast, minorVersion: minorVersion, date: memory.date) { makeLast() }
  }

  /// An answer has been given completely. It is the next one's turn.
  func endTurn() {
    let number = answers.firstNumber
    answers.removeFirst()
    if !answers.departures.isEmpty { reportStay(number) }
    // Nobody reads the body any more. Its rest is dropped.
    body.source.take()?.finish(UVError(.cancelled, operation: "read"))
    if isEndingTurns { return }
    isEndingTurns = true
    while !isLast, !answers.isEmpty, !answers.first.waiting.isEmpty {
      for body in answers.takeWaiting() { body() }
    }
    isEndingTurns = false
    // The last answer may have begun just now, and isn't complete.
    if isLast, !answers.hasBegun { endTurns() }
    if !answers.isEmpty { flushLater() } else if isLast { endIfDone() } else { readOn() }
  }

  /// All requests have been answered.
  private func readOn() {
    advance()
    if isLifeOver { endLifeIfIdle() }
    // Those that came with them may be answered soon.
    if answers.isEmpty { flush() } else { flushLater() }
    if hasEnded { endIfDone() }
  }

  /// The answer that has been given is the last one: the others won't be.
  private func endTurns() {
    for body in answers.removeAll(areAnswered: true) { body() }
    reportLost()
  }

  /// There will be no more answers.
  func reportLost() {
    reportDeparture()
    let lost = answers.lost
    answers.lost = [:]
    for body in lost.values { body(endCode) }
  }

  private func decideWhetherLast() {
    if !answers.first.keepsAlive || body.refusal != nil { makeLast() }
    // The client may send its body or not. Nobody knows what comes next.
    if body.progress == .awaitsContinue { makeLast() }
    if answers.count > 1 { return }
    if server.isAbandoned || isOver { makeLast() }
    // Bytes of a body that nobody has read are no further request.
    let hasMore = input.bytes.count > (body.isComplete ? 0 : body.rest ?? 0)
    if !hasMore, hasEnded || stream.isQuiescing || server.isClosing { makeLast() }
    if let rest = body.rest, !body.isComplete, rest > limits.unreadBody { makeLast() }
  }
}
#endif
