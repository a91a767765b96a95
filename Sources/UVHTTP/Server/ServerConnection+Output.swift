#if HTTP || Everything
import HTTPTypes
import UV

/// Writing. Answers are put together, and leave when no request is left to be answered, or when the loop's
/// turn ends. So requests that came together are answered by one write.
extension ServerConnection {
  /// Short answers to requests that came together leave together. The head of a long body leaves with the body.
  func makeRoom(for body: Int) {
    if Self.isLong(body) {
      // A head and a body of each that came together.
      if longOutput.isEmpty { longOutput.reserveCapacity(2 * answers.count) }
      output.reserveCapacity(output.count + 256)
    } else {
      output.reserveCapacity(output.count + 256 * min(answers.count, 16))
    }
  }

  /// A part of a body leaves at once if it is long. A short one may be followed by others.
  func flushPart() { if longOutput.isEmpty { flushLater() } else { flush() } }

  func beginWaitingForClient(_ count: Int) {
    // Meanwhile no other time counts.
    pauseBodyTime()
    timed = .nothing
    let time = WriteDeadline.time(for: count, rate: limits.minimumRate)
    writeEnd.extend(stream, by: time, silence: limits.idleTimeout)
  }

  /// Notifies the program that its bytes are on their way: at once, unless much waits for the client.
  func notify(_ done: @escaping Completion<Void>) -> PendingRequest {
    guard isCongested, isServing else {
      loop.completeWrite(done)
      return PendingRequest()
    }
    flush()
    var hasEnded = false
    writers.append { [loop] result in
      hasEnded = true
      loop.queueMicrotask { done(result) }
    }
    return PendingRequest { [self] in if !hasEnded { giveUp() } }
  }

  func notifyWriters(_ result: Result<Void, UVError>) {
    let waiting = writers
    writers = []
    for done in waiting { done(result) }
  }

  /// The system has taken what was written, or it is lost.
  func didWrite(_ result: Result<Void, UVError>) {
    writeCount -= 1
    if phase == .closed { return }
    if case .failure = result { return close() }
    if writeCount > 0 { return }
    writeEnd.clear(stream)
    if !writers.isEmpty { notifyWriters(result) }
    if answers.isEmpty, isLast || hasEnded { return endIfDone() }
    advance()
  }

  /// Gives an answer up that isn't complete, when it is its turn. The part that has been written leaves.
  func breakOff(_ number: Int) {
    if hasGone(number) { return }
    guard isTurn(number) else {
      _ = wait(number) { [self] in
        breakOff(number)
        return PendingRequest()
      }
      return
    }
    flush()
    close()
  }
}
#endif
