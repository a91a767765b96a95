import HTTPTypes
import UV

/// Writing. Answers are put together, and leave when no request is left to be answered, or when the loop's
/// turn ends. So requests that came together are answered by one write.
extension ServerConnection: Flushable {
  /// A body that is shorter is copied beside its head.
  private static let shortBody = 16384
  /// How much may wait for the client before the program has to wait, too.
  private static let mark = 65536

  /// Whether the client has to take answers before it gets more.
  var isCongested: Bool { output.count + stream.writeQueueSize > Self.mark }

  /// Whether no more than the mark waits for the client after a body of so many bytes.
  func hasRoom(for count: Int) -> Bool {
    count <= Self.shortBody && output.count + stream.writeQueueSize + count <= Self.mark
  }

  /// Short answers to requests that came together leave together. The head of a long body leaves with the body.
  func makeRoom(for body: Int) {
    let count = body <= Self.shortBody ? min(turns.count, 16) : 1
    output.reserveCapacity(output.count + 256 * count)
  }

  func append(_ bytes: Bytes) {
    if bytes.count <= Self.shortBody { return output.append(bytes) }
    let head = output.takeBytes()
    write(bytes.count) { stream.write(head.isEmpty ? [bytes] : [head, bytes], didWrite) }
  }

  func flushLater() {
    if willFlush || output.isEmpty { return }
    willFlush = true
    loop.flushNextTurn(self)
  }

  package func flush() {
    willFlush = false
    if output.isEmpty || phase == .closed { return }
    let bytes = output.takeBytes()
    write(bytes.count) { stream.write(bytes, didWrite) }
  }

  private func write(_ count: Int, _ begin: () -> PendingRequest) {
    writeCount += 1
    _ = begin()
    if stream.writeQueueSize > 0 { beginWaitingForClient(count) }
  }

  func beginWaitingForClient(_ count: Int) {
    if !isBodyComplete, !turns.isEmpty { return }
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
    writers.append(done)
    return PendingRequest { [self] in if !writers.isEmpty { giveUp() } }
  }

  func tellWriters(_ result: Result<Void, UVError>) {
    let told = writers
    writers = []
    for done in told { loop.queueMicrotask { done(result) } }
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
