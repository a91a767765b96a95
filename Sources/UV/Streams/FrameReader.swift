import CUV

/// The bytes that a stream has read and nobody has taken, and the frames that its readers wait for.
///
/// The readers stand in one line, which is that of the stream's source. Most of them wait for the next bytes,
/// whatever these are. A stream has this object once somebody has waited for another frame, or bytes have
/// come after the last reader left. So the ways to read a stream can be mixed, and no byte is lost or delivered
/// out of order.
final class FrameReader: _Microtask {
  typealias Outcome = Result<Bytes?, UVError>

  /// The wish of a reader that doesn't simply wait for the next bytes.
  private struct Waiting {
    let frame: ReadRequest
    /// The reader's number in the line.
    let number: UInt
  }

  private enum State {
    /// Nobody waits, or the first reader lacks bytes.
    case waiting
    /// A microtask will answer the first reader, so that nothing is read.
    case scheduled
    /// The readers are being answered, and so are readers that ask meanwhile.
    case answering
    /// The stream has closed. Everybody has been answered.
    case closed

    func mayBecome(_ next: State) -> Bool {
      switch (self, next) {
      case (.waiting, .scheduled), (.waiting, .answering), (.waiting, .closed): true
      case (.scheduled, .answering), (.scheduled, .closed): true
      case (.answering, .waiting), (.answering, .scheduled): true
      case (.waiting, .waiting), (.scheduled, .waiting), (.scheduled, .scheduled): false
      case (.answering, .answering), (.answering, .closed), (.closed, _): false
      }
    }
  }

  /// Where the next bytes come to: memory that all streams share, that of the first reader's frame, or the
  /// reader's own.
  private enum Place { case shared, frame, reader }

  // They are confined to the loop; exclusivity checks would cost more than the accesses.
  @exclusivity(unchecked) private var unread = UnreadBytes()
  // In the readers' order. Readers of the next bytes have none.
  @exclusivity(unchecked) private var firstWaiting: Waiting?
  @exclusivity(unchecked) private var othersWaiting = Queue<Waiting>()
  @exclusivity(unchecked) private var state = State.waiting {
    didSet { assert(oldValue.mayBecome(state), "\(oldValue) can't become \(state)") }
  }
  @exclusivity(unchecked) private var place = Place.shared
  /// Sound: the stream owns this, and keeps itself alive while somebody waits.
  private unowned(unsafe) let stream: ByteStream
  /// Sound: the stream keeps its loop.
  private unowned(unsafe) let loop: EventLoop
  // The same objects' parts that every frame looks at. Going through the objects would retain them each time.
  private let line: Unmanaged<WaiterQueue<Bytes>>
  private let block: HandleBlock
  private let turn: UnsafeMutablePointer<MicrotaskQueue.State>
  /// How many more bytes are dropped as they come; nil if they are read.
  @exclusivity(unchecked) private var droppableCount: Int?
  /// The timeouts of the stream that goes on with this one's connection; see ``ByteStream/giveUp()``.
  @exclusivity(unchecked) var carriedOn: StreamTimeouts?

  init(_ stream: ByteStream) {
    self.stream = stream
    loop = stream.loop
    line = .passUnretained(stream.source)
    block = stream.block
    turn = stream.loop.microtasks.state
  }

  /// Whether readers of the next bytes have to ask here, because there are some, or because others are
  /// answered first.
  var isInUse: Bool {
    @inline(__always) get { !unread.isEmpty || state == .scheduled || droppableCount != nil }
  }

  var unreadCount: Int { unread.count }

  // MARK: Asking

  func ask(_ frame: ReadRequest, _ waiter: consuming WaiterQueue<Bytes>.Waiter) -> PendingRequest {
    if case .task = waiter {
    } else if loop.ending.lastRound.hasBegun, loop.isAnswering {
      return PendingRequest()
    }
    let line = line.takeUnretainedValue()
    if line.hasHandler || line.hasEnded && unread.isEmpty && !line.hasDemand,
      let outcome = outcome(frame, line)
    {
      let asker = waiter
      loop.queueMicrotask { asker.resume(outcome) }
      return PendingRequest()
    }
    let isFirst = !line.hasDemand
    let number = line.enter(waiter, loop)
    if frame.kind != .any {
      let wish = Waiting(frame: frame, number: number)
      if firstWaiting == nil { firstWaiting = wish } else { othersWaiting.append(wish) }
    }
    if isFirst { begin(frame, line) }
    return PendingRequest(line, generation: number)
  }

  /// The outcome for a task that asks, if it is known without waiting.
  @inline(__always)
  func outcomeIfReady(_ frame: ReadRequest, _ task: UnsafeMutableRawPointer?) -> Outcome? {
    if block.isClosing || turn.pointee.budget <= 0 || line._withUnsafeGuaranteedRef({ $0.hasDemand }) {
      return nil
    }
    turn.pointee.budget &-= 1
    if cuv_task_is_cancelled(task) { return .failure(UVError(.cancelled, operation: "read")) }
    return unread.take(frame)
  }

  /// The outcome for somebody who doesn't wait; nil if the frame isn't here, or if others have asked before.
  func outcomeIfHere(_ frame: ReadRequest) -> Outcome? {
    if block.isClosing || line._withUnsafeGuaranteedRef({ $0.hasDemand }) { return nil }
    return unread.take(frame)
  }

  /// A reader has been cancelled, and has left the line. The reader that is first now may find enough.
  func left(_ number: UInt) {
    if firstWaiting?.number == number {
      popWish()
    } else if let index = othersWaiting.firstIndex(where: { $0.number == number }) {
      _ = othersWaiting.remove(at: index)
    }
    let line = line.takeUnretainedValue()
    if line.hasDemand, !line.hasHandler { begin(frameOfFirst(line), line) }
  }

  /// The wish of a reader, in words.
  func wish(of number: UInt) -> String? {
    (firstWaiting?.number == number ? firstWaiting : othersWaiting.first { $0.number == number })?.frame.wish
  }

  // MARK: Wishes

  /// Whether the first reader in the line has a wish.
  @inline(__always)
  private func hasRequest(_ line: WaiterQueue<Bytes>) -> Bool { firstWaiting?.number == line.firstNumber }

  @inline(__always)
  private func frameOfFirst(_ line: WaiterQueue<Bytes>) -> ReadRequest {
    hasRequest(line) ? firstWaiting!.frame : ReadRequest(.any)
  }

  private func popWish() {
    unread.searchedCount = 0
    unread.skippedCount = 0
    firstWaiting = othersWaiting.popFirst()
  }

  private func takeFirst(_ line: WaiterQueue<Bytes>) -> WaiterQueue<Bytes>.Waiter? {
    if hasRequest(line) { popWish() }
    return line.takeFirst()
  }

  // MARK: Answering

  /// Begins with the first reader, whose answer may be known. It isn't delivered here, on the reader's stack.
  private func begin(_ frame: ReadRequest, _ line: WaiterQueue<Bytes>) {
    guard state == .waiting else { return }
    // Without bytes, only the answer to a request for none is known, which takes none.
    if unread.isEmpty, !line.hasEnded, unread.take(frame) == nil {
      readOn(for: frame, line)
    } else {
      schedule()
    }
  }

  /// Reads what the first reader lacks.
  private func readOn(for frame: ReadRequest, _ line: WaiterQueue<Bytes>) {
    unread.prepare(for: frame)
    if !line.isProducing { line.produce(stream) }
  }

  private func schedule() {
    if state == .scheduled { return }
    state = .scheduled
    stream.keepAlive(.frames)
    loop._enqueue(self)
  }

  override func run() {
    // The stream may have closed, and may be gone.
    guard state == .scheduled else { return }
    answer()
    // A handler may have computed with what it got, and waits for the peer from now on.
    stream.block.withSidecar { $0.goOnReading(true) }
    if state != .scheduled { stream.letGo(.frames) }
  }

  /// Answers the readers one after the other, until one has to wait.
  private func answer() {
    state = .answering
    let line = line.takeUnretainedValue()
    while line.hasDemand {
      if line.hasHandler {
        guard case .success(let bytes?)? = unread.take(ReadRequest(.any)) else {
          line.reportEnd()
          break
        }
        line.deliver(bytes)
        continue
      }
      if loop.spend(1) { return schedule() }
      let frame = frameOfFirst(line)
      guard let outcome = outcome(frame, line) else {
        readOn(for: frame, line)
        break
      }
      takeFirst(line)?.resume(outcome)
    }
    state = .waiting
  }

  /// The outcome for the reader that is first, if it is known.
  private func outcome(_ frame: ReadRequest, _ line: WaiterQueue<Bytes>) -> Outcome? {
    // A handler was there first.
    if line.hasHandler { return line.immediateOutcome() }
    if let outcome = unread.take(frame) { return outcome }
    switch line.immediateOutcome() {
    case .success: return unread.takeAtEnd(frame)
    case .failure(let error): return .failure(error)
    case nil: return nil
    }
  }

  // MARK: Reading

  /// Has bytes come into the memory of the frame that a reader waits for; false if they should come
  /// elsewhere.
  func reserve(_ buffer: UnsafeMutablePointer<uv_buf_t>) -> Bool {
    place = .shared
    guard state == .waiting, droppableCount == nil, line._withUnsafeGuaranteedRef({ hasRequest($0) }) else {
      return false
    }
    let frame = firstWaiting!.frame
    switch frame.kind {
    case .exactly, .rest:
      guard let room = unread.room(upTo: frame.kind == .rest ? frame.limit + 1 : frame.count) else { break }
      cuv_buf_set(buffer, room.baseAddress!, room.count)
      place = .frame
    case .into:
      cuv_buf_set(buffer, frame.delimiter!.start, frame.count)
      place = .reader
    default: break
    }
    return place != .shared
  }

  /// Takes bytes that have come to where they were to come.
  func didRead(_ count: Int) {
    switch place {
    case .shared: return take(loop.readBuffer.take(count))
    case .frame: unread.didReadInPlace(count)
    case .reader:
      let start = firstWaiting!.frame.delimiter!.start
      takeFirst(line.takeUnretainedValue())?.resume(.success(Bytes(storage: nil, start: start, count: count)))
    }
    if state == .waiting { answer() }
  }

  /// Takes bytes that have come.
  func take(_ bytes: Bytes) {
    if droppableCount != nil { return drop(bytes) }
    let line = line.takeUnretainedValue()
    guard state == .waiting else { return unread.append(bytes) }
    if unread.isEmpty, line.hasDemand, !hasRequest(line) {
      // The first reader takes them as they are. The next one may want a part of the next ones.
      line.deliver(bytes)
      guard hasRequest(line), state == .waiting else { return }
    } else {
      unread.append(bytes)
    }
    answer()
  }

  /// Pauses the stream if nobody needs more by the end of the callback that has read.
  func pauseIfUnwanted() {
    line._withUnsafeGuaranteedRef {
      if state == .scheduled, $0.isProducing { $0.pause() } else { $0.pauseIfUnwanted() }
    }
  }

  // MARK: Other ways to read

  /// Gives a new handler the bytes that came before it.
  func goOn() { if state == .waiting, !unread.isEmpty { schedule() } }

  /// Takes all bytes that nobody has read.
  func takeUnread() -> Bytes {
    unread.isEmpty ? Bytes() : unread.takeHead(andTail: unread.tailCount, dropping: 0)
  }

  // MARK: Ending

  /// Ends the source. Everybody in the line gets the end once what came before has been read.
  func end(_ error: UVError?) {
    if line.takeUnretainedValue().end(error), state == .waiting { answer() }
  }

  /// Notifies all waiters of an error that isn't the end. The bytes that have come stay.
  func failAll(_ error: UVError) {
    othersWaiting = Queue()
    popWish()
    line.takeUnretainedValue().failAll(error)
  }

  /// Drops what comes from now on, and ends the reading after so many bytes.
  func dropWhatComes(upTo count: Int) {
    if droppableCount == nil { droppableCount = count }
  }

  private func drop(_ bytes: Bytes) {
    droppableCount! -= min(bytes.count, droppableCount!)
    if droppableCount == 0 { stream.endAfterFarewell() }
  }

  /// Drops what nobody has read. The stream closes.
  func drop() { unread.removeAll() }

  /// Notifies all waiters that are left. The stream has closed.
  func close(_ error: UVError) {
    let line = line.takeUnretainedValue()
    _ = line.end(error)
    var notified: [(waiter: WaiterQueue<Bytes>.Waiter, outcome: Outcome)] = []
    while line.hasDemand, !line.hasHandler, let outcome = outcome(frameOfFirst(line), line) {
      if let waiter = takeFirst(line) { notified.append((waiter, outcome)) }
    }
    state = .closed
    line.reportEnd()
    for (waiter, outcome) in notified { waiter.resume(outcome) }
  }
}
