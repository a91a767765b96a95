import HTTPTypes
import UV

/// Writing. Answers are put together, and leave when no request is left to be answered, or when the loop's
/// turn ends. So requests that came together are answered by one write.
extension ServerConnection: Flushable {
  /// A body that is shorter is copied beside its head.
  private static let shortBody = 16384
  /// Longer ones leave together once they and their heads are so many bytes, or the turn ends.
  private static let mostTogether = 1 << 20
  /// How much may wait for the client before the program has to wait, too.
  private static let mark = 65536

  /// Whether the client has to take answers before it gets more.
  var isCongested: Bool { output.count + stream.writeQueueSize > Self.mark }

  /// Short answers to requests that came together leave together. The head of a long body leaves with the body.
  func makeRoom(for body: Int) {
    let count = body <= Self.shortBody ? min(turns.count, 16) : 1
    output.reserveCapacity(output.count + 256 * count)
  }

  func append(_ bytes: Bytes) {
    if bytes.count <= Self.shortBody { return output.append(bytes) }
    // A head and a body of each that came together.
    if longOutput.isEmpty { longOutput.reserveCapacity(2 * turns.count) }
    if !output.isEmpty { longOutput.append(output.takeBytes()) }
    longOutput.append(bytes)
    if longOutput.byteCount >= Self.mostTogether { flush() }
  }

  func flushLater() {
    if willFlush || output.isEmpty && longOutput.isEmpty { return }
    willFlush = true
    loop.flushNextTurn(self)
  }

  /// A part of a body leaves at once if it is long. A short one may be followed by others.
  func flushPart() { if longOutput.isEmpty { flushLater() } else { flush() } }

  package func flush() {
    willFlush = false
    if phase == .closed { return }
    if !longOutput.isEmpty { return flushLong() }
    if output.isEmpty { return }
    let bytes = output.takeBytes()
    write(bytes.count) { stream.write(bytes, didWrite) }
  }

  private func flushLong() {
    if !output.isEmpty { longOutput.append(output.takeBytes()) }
    let buffers = longOutput
    longOutput = []
    write(buffers.byteCount) { stream.write(buffers, didWrite) }
  }

  private func write(_ count: Int, _ begin: () -> PendingRequest) {
    writeCount += 1
    if !isBodyComplete { answeredCount += count }
    _ = begin()
    if stream.writeQueueSize > 0 { beginWaitingForClient(count) }
  }

  func beginWaitingForClient(_ count: Int) {
    // Meanwhile no other time counts.
    pauseBodyTime()
    isHeadTimed = false
    let time = WriteDeadline.time(for: count, rate: limits.minimumRate)
    writeEnd.extend(stream, by: time, silence: limits.idleTimeout)
  }

  /// Tells the program that its bytes are on their way: at once, unless much waits for the client.
  func tell(_ done: @escaping Completion<Void>) -> PendingRequest {
    guard isCongested, phase == .serving else {
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

  func tellWriters(_ result: Result<Void, UVError>) {
    let told = writers
    writers = []
    for tell in told { tell(result) }
  }

  /// The system has taken what was written, or it is lost.
  func didWrite(_ result: Result<Void, UVError>) {
    writeCount -= 1
    if phase == .closed { return }
    if case .failure = result { return close() }
    if writeCount > 0 { return }
    writeEnd.clear(stream)
    if !writers.isEmpty { tellWriters(result) }
    if turns.isEmpty, isLast || hasEnded { return endIfDone() }
    advance()
  }

  /// Gives an answer up that isn't complete, when it is its turn. The part that has been written leaves.
  func breakOff(_ number: Int) {
    if hasGone(number) { return }
    if !isTurn(number) { return _ = wait(number) { [self] in breakOff(number) } }
    flush()
    close()
  }
}
