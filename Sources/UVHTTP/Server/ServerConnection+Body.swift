#if HTTP || Everything
import HTTPTypes
import UV

/// The body of the last request, which is the only one that has been handed out.
extension ServerConnection {
  /// The body of a request. It is made when the program asks for it.
  func makeBody(_ number: Int, _ framing: BodyFraming) -> HTTPBody {
    if framing == .none { return HTTPBody(ended: loop) }
    guard phase == .serving, number == firstNumber, !turns.isEmpty else {
      return HTTPBody(ended: loop, UVError(.cancelled, operation: "read"))
    }
    let body = HTTPBody(self)
    self.body = body
    return body
  }

  func wantBody(_ isWanted: Bool) {
    isBodyWanted = isWanted
    if !isWanted { pauseBodyTime() }
    if !isWanted || phase != .serving || isBodyComplete { return }
    if mayContinue {
      mayContinue = false
      // An answer that has begun is leave enough, and nothing may stand within it.
      if turns.first?.hasBegun != true {
        output.append("HTTP/1.1 100 Continue\r\n\r\n")
        flush()
      }
    }
    readBody()
  }

  func readBody() {
    while phase == .serving, !isBodyComplete, isBodyWanted || turns.isEmpty, refusal == nil {
      do throws(Refusal) {
        switch try bodyParser.take(from: &input) {
        case .incomplete:
          if hasEnded { return refuseBody(.badRequest("the body isn't complete"), nil) }
          return waitForBody()
        case .content(let part):
          if turns.isEmpty { if !mayDrop(part.count) { return } } else { body?.send(part) }
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
      stream.totalTimeout = max(.zero, limits.time(for: bodyParser.count + answeredCount) - waited)
      waitBegin = loop.now
    }
    if let silence = stream.readTimeout { stream.beginReadTimeout(silence, at: loop.clock.now) }
    read()
  }

  func pauseBodyTime() { if let begin = waitBegin.take() { waited += begin.duration(to: loop.now) } }

  private func endBodyTime() {
    waitBegin = nil
    if !writeEnd.isSet { stream.totalTimeout = nil }
  }

  private func endBody(_ trailer: Bytes) {
    isBodyComplete = true
    endBodyTime()
    if !trailer.isEmpty { body?.trailer = HTTPFields(trailer) }
    body?.finish()
    body = nil
    if turns.isEmpty { loop.queueMicrotask { [self] in advance() } } else { readAhead() }
  }

  /// The body is wrong. The program may still answer.
  func refuseBody(_ refusal: Refusal, _ error: UVError?) {
    self.refusal = refusal
    let code: UVError.Code = hasEnded ? .endOfFile : refusal.code == 413 ? .messageTooLong : .invalidArgument
    endBodyTime()
    body?.finish(error ?? UVError(code, operation: "read", message: refusal.reason))
    body = nil
    isLast = true
    endIfDone()
  }

  /// Whether so many bytes more of a body may be dropped, which nobody reads.
  private func mayDrop(_ count: Int) -> Bool {
    droppedCount += count
    if droppedCount <= limits.unreadBody { return true }
    isLast = true
    refusal = .bodyTooLarge
    endIfDone()
    return false
  }
}
#endif
