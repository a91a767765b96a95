#if HTTP || Everything
import HTTPTypes
import UV

/// The body of the last request, which is the only one that has been handed out.
extension ServerConnection {
  /// The body of a request. It is made when the program asks for it.
  func makeBody(_ number: Int, _ framing: BodyFraming) -> HTTPBody {
    if framing == .none { return HTTPBody(ended: loop) }
    guard isTurn(number) else {
      return HTTPBody(ended: loop, UVError(.cancelled, operation: "read"))
    }
    let source = HTTPBody(self)
    body.source = source
    return source
  }

  func wantBody(_ isWanted: Bool) {
    if !isWanted { pauseBodyTime() }
    switch body.progress {
    case .complete: return
    case .awaitsContinue, .unwanted: if !isWanted { return }
    case .wanted: if !isWanted { return body.progress = .unwanted }
    }
    if !isServing { return }
    let awaitsContinue = body.progress == .awaitsContinue
    body.progress = .wanted
    // An answer that has begun is leave enough, and nothing may stand within it.
    if awaitsContinue, !answers.hasBegun {
      output.append("HTTP/1.1 100 Continue\r\n\r\n")
      flush()
    }
    readBody()
  }

  func readBody() {
    while isServing, !body.isComplete, body.progress == .wanted || answers.isEmpty, body.refusal == nil {
      do throws(Refusal) {
        switch try body.parser.take(from: &input.bytes) {
        case .incomplete:
          if hasEnded { return refuseBody(.badRequest("the body isn't complete"), nil) }
          return waitForBody()
        case .content(let part):
          if answers.isEmpty { if !mayDrop(part.count) { return } } else { body.source?.send(part) }
        case .end(let trailer): endBody(trailer)
        }
      } catch { refuseBody(error, nil) }
    }
  }

  /// Waits for more of the body, because bytes have come or left, or because the program begins to ask.
  ///
  /// Bytes in either direction renew the timeout of silence. So the whole body has a time of its own, in which the
  /// program's own time doesn't count, and neither does the time in which bytes wait for the client, which have theirs.
  func waitForBody() {
    pauseBodyTime()
    if !writeEnd.isSet {
      let time = limits.time(for: body.parser.count + body.answeredCount) - body.waited
      stream.totalTimeout = max(.zero, time)
      timed = .body(since: loop.now)
    }
    if let silence = stream.readTimeout { stream.beginReadTimeout(silence, at: loop.clock.now) }
    read()
  }

  func pauseBodyTime() {
    guard case .body(let begin) = timed else { return }
    timed = .nothing
    body.waited += begin.duration(to: loop.now)
  }

  private func endBodyTime() {
    if case .body = timed { timed = .nothing }
    if !writeEnd.isSet { stream.totalTimeout = nil }
  }

  private func endBody(_ trailer: Bytes) {
    body.progress = .complete
    endBodyTime()
    if !trailer.isEmpty { body.source?.trailer = HTTPFields(trailer) }
    body.source.take()?.finish()
    if answers.isEmpty { loop.queueMicrotask { [self] in advance() } } else { readAhead() }
  }

  /// The body is wrong. The program may still answer.
  func refuseBody(_ refusal: Refusal, _ error: UVError?) {
    body.refusal = refusal
    let code: UVError.Code =
      hasEnded ? .endOfFile : refusal.status == .contentTooLarge ? .messageTooLong : .invalidArgument
    endBodyTime()
    body.source.take()?.finish(error ?? UVError(code, operation: "read", message: refusal.reason))
    makeLast()
    endIfDone()
  }

  /// Whether so many bytes more of a body may be dropped, which nobody reads.
  private func mayDrop(_ count: Int) -> Bool {
    body.droppedCount += count
    if body.droppedCount <= limits.unreadBody { return true }
    makeLast()
    body.refusal = .bodyTooLarge
    endIfDone()
    return false
  }
}
#endif
