import CUV

/// The readers of a stream that wait for frames, in order, and the bytes that nobody has taken.
///
/// A stream has it from the first request for a frame on. While it holds bytes or readers, those who ask for bytes as they
/// come stand in the same line. So the ways to read a stream can be mixed, and no byte is lost or told out of order.
final class FrameReads: Microtask, Cancelling {
  private struct Entry {
    let frame: Frame
    let waiter: SourceCore<Bytes>.Waiter
    let generation: UInt
  }

  // They are confined to the loop; exclusivity checks would cost more than the accesses.
  @exclusivity(unchecked) private var unread = UnreadBytes()
  @exclusivity(unchecked) private var first: Entry?
  @exclusivity(unchecked) private var others = Queue<Entry>()
  @exclusivity(unchecked) private var generation: UInt = 0
  /// Whether the stream's source has been asked for more.
  @exclusivity(unchecked) private var isAsking = false
  @exclusivity(unchecked) private var isScheduled = false
  @exclusivity(unchecked) private var isAnswering = false
  /// Whether libuv reads straight into a frame's memory, or into a caller's.
  @exclusivity(unchecked) private var isReadingInPlace = false
  /// How many bytes have been read into a caller's memory.
  @exclusivity(unchecked) private var countInto = 0
  /// Sound: the stream owns this, and keeps itself alive while somebody waits here.
  private unowned(unsafe) let stream: ByteStream
  /// Sound: the stream keeps its loop.
  private unowned(unsafe) let loop: EventLoop
  // The same objects' parts that every frame looks at. Going through the objects would retain them each time.
  private let source: Unmanaged<SourceCore<Bytes>>
  private let block: HandleBlock
  private let turn: UnsafeMutablePointer<MicrotaskQueue.State>
  private var receiver: FrameReceiver!
  /// The timeouts of the stream that goes on with this one's connection; see ``ByteStream/giveUp()``.
  @exclusivity(unchecked) var carriedOn: StreamSidecar?

  init(_ stream: ByteStream) {
    self.stream = stream
    loop = stream.loop
    source = .passUnretained(stream.source)
    block = stream.block
    turn = stream.loop.microtasks.state
    super.init()
    receiver = FrameReceiver(self)
  }

  /// Whether those who ask for bytes as they come have to ask here.
  var isInUse: Bool {
    @inline(__always) get { first != nil || !unread.isEmpty }
  }

  var hasReaders: Bool { first != nil }

  var unreadCount: Int { unread.count }

  // MARK: Asking

  func read(_ frame: Frame, _ waiter: consuming SourceCore<Bytes>.Waiter) -> PendingRequest {
    if case .task = waiter {
    } else if loop.ending.lastRound.hasBegun, loop.isAnswering {
      return PendingRequest()
    }
    generation &+= 1
    let entry = Entry(frame: frame, waiter: waiter, generation: generation)
    if first == nil {
      first = entry
      begin()
    } else {
      others.append(entry)
    }
    return PendingRequest(self, generation: entry.generation)
  }

  /// The outcome for a task that asks, if it is known without waiting.
  @inline(__always)
  func outcomeIfReady(_ frame: Frame, _ task: UnsafeMutableRawPointer?) -> Result<Bytes?, UVError>? {
    if first != nil || block.isClosing || turn.pointee.budget <= 0
      || source._withUnsafeGuaranteedRef({ $0.hasDemand })
    {
      return nil
    }
    turn.pointee.budget &-= 1
    if cuv_task_is_cancelled(task) { return .failure(UVError(.cancelled, operation: "read")) }
    return unread.take(frame)
  }

  /// The outcome for somebody who doesn't wait; nil if the frame isn't here, or if others have asked before.
  func outcomeIfHere(_ frame: Frame) -> Result<Bytes?, UVError>? {
    if first != nil || block.isClosing || source._withUnsafeGuaranteedRef({ $0.hasDemand }) {
      return nil
    }
    return unread.take(frame)
  }

  func cancel(slot: UInt, generation: UInt) {
    let entry: Entry
    if let first, first.generation == generation {
      entry = first
      unread.searchedCount = 0
      keepBytesOf(entry.frame)
      self.first = others.popFirst()
      if self.first != nil { begin() } else { withdraw() }
    } else if let index = others.firstIndex(where: { $0.generation == generation }) {
      entry = others.remove(at: index)
    } else {
      return
    }
    let error = UVError(.cancelled, operation: "read")
    loop.queueMicrotask { entry.waiter.resume(.failure(error)) }
  }

  func awaited(slot: UInt, generation: UInt) -> Awaited? {
    let entry = first?.generation == generation ? first : others.first { $0.generation == generation }
    return entry.map { Awaited(operation: "read", subject: $0.frame.wish, object: stream) }
  }

  /// Keeps the bytes that a caller's memory has got, and of which the caller hasn't been told.
  private func keepBytesOf(_ frame: Frame) {
    if countInto == 0 { return }
    unread.append(Bytes(copying: UnsafeRawBufferPointer(start: frame.delimiter!.start, count: countInto)))
    countInto = 0
  }

  // MARK: Answering

  /// Begins with the first reader, whose answer may be known. It isn't told here, on the reader's stack.
  private func begin() {
    if isAnswering { return }
    // Without bytes, only the answer to a request for none is known, which takes none.
    if unread.isEmpty, stream.source.immediateOutcome() == nil, unread.take(first!.frame) == nil {
      ask()
    } else {
      schedule()
    }
  }

  private func schedule() {
    if isScheduled { return }
    isScheduled = true
    stream.keepAlive(.frames)
    loop.enqueue(self)
  }

  override func run() {
    isScheduled = false
    answer()
    deliverToHandler()
    if unread.isEmpty { stream.source.tellEnd() }
    if !isScheduled { stream.letGo(.frames) }
  }

  /// Answers the readers one after the other, until one has to wait.
  private func answer() {
    isAnswering = true
    while let entry = first {
      if loop.spend(1) {
        schedule()
        break
      }
      guard let outcome = outcome(for: entry.frame) else {
        ask()
        break
      }
      unread.searchedCount = 0
      first = others.popFirst()
      entry.waiter.resume(outcome)
    }
    isAnswering = false
    if first == nil { withdraw() }
  }

  private func outcome(for frame: Frame) -> Result<Bytes?, UVError>? {
    // A handler was there first, or the stream is closed.
    if stream.source.hasHandler { return stream.source.immediateOutcome() }
    if countInto > 0 {
      defer { countInto = 0 }
      return .success(Bytes(storage: nil, start: frame.delimiter!.start, count: countInto))
    }
    if let outcome = unread.take(frame) { return outcome }
    switch stream.source.immediateOutcome() {
    case .success: return unread.takeAtEnd(frame)
    case .failure(let error): return .failure(error)
    case nil: return nil
    }
  }

  // MARK: Reading

  private func ask() {
    unread.prepare(for: first!.frame)
    if isAsking { return }
    isAsking = true
    _ = stream.source.next(for: receiver, from: stream)
  }

  private func withdraw() {
    guard isAsking else { return }
    isAsking = false
    stream.source.withdraw(receiver)
  }

  fileprivate func receive(_ result: Result<Bytes?, UVError>) {
    isAsking = false
    if case .success(let bytes?) = result { unread.append(bytes) }
    // If the source has ended, it says so to everybody who waits here.
    answer()
  }

  /// Has bytes come into the memory of the frame that is waited for; false if they should come elsewhere.
  func reserve(_ buffer: UnsafeMutablePointer<uv_buf_t>) -> Bool {
    isReadingInPlace = false
    guard isAsking, let frame = first?.frame, stream.source.isFirst(receiver) else { return false }
    switch frame.kind {
    case .exactly, .rest:
      guard let room = unread.room(upTo: frame.kind == .rest ? frame.limit + 1 : frame.count) else {
        return false
      }
      cuv_buf_set(buffer, room.baseAddress!, room.count)
    case .into: cuv_buf_set(buffer, frame.delimiter!.start, frame.count)
    default: return false
    }
    isReadingInPlace = true
    return true
  }

  /// The bytes that have been read, for the stream's source to deliver. Bytes that are in their place already
  /// don't count there.
  func didRead(_ count: Int) -> Bytes {
    if !unread.isEmpty { deliverToHandler() }
    guard isReadingInPlace else { return loop.readBuffer.take(count) }
    if first!.frame.kind == .into { countInto = count } else { unread.didReadInPlace(count) }
    return Bytes()
  }

  // MARK: Other ways to read

  /// Keeps bytes for which nobody asks any more.
  func keep(_ bytes: Bytes) { unread.append(bytes) }

  /// Tells a handler, if there is one, of the bytes that came before it.
  func deliverToHandler() {
    while stream.source.hasHandler, case .success(let bytes?)? = unread.take(Frame(.any)) {
      stream.source.deliver(bytes)
    }
  }

  /// Does the same, but not on the caller's stack.
  func deliverToHandlerLater() { if !unread.isEmpty { schedule() } }

  /// Takes all bytes that nobody has read.
  func takeUnread() -> Bytes {
    unread.isEmpty ? Bytes() : unread.takeHead(andTail: unread.tailCount, dropping: 0)
  }

  /// Tells everybody who waits of an error that isn't the end. The bytes that have come stay.
  func fail(_ error: UVError) {
    guard let entry = first.take() else { return }
    let rest = others
    others = Queue()
    unread.searchedCount = 0
    keepBytesOf(entry.frame)
    withdraw()
    entry.waiter.resume(.failure(error))
    for entry in rest { entry.waiter.resume(.failure(error)) }
  }

  /// Drops what nobody has read. The stream closes.
  func drop() { unread.removeAll() }
}

/// Waits for the next bytes of a stream on behalf of those who wait for frames.
private final class FrameReceiver: ElementReceiver<Bytes> {
  // Sound: it owns this.
  private unowned(unsafe) let reads: FrameReads

  init(_ reads: FrameReads) {
    self.reads = reads
    super.init { receiver, result in
      unsafeDowncast(receiver, to: FrameReceiver.self).reads.receive(result)
    }
  }
}
