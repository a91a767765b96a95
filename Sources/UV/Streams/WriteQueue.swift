import CUV

/// The bytes that a stream was asked to write and the system has not yet taken. A stream has it once there
/// have been any; see ``ByteStream/writes``.
///
/// A write leaves at once if nothing is before it. Two kinds of writes are gathered until the end of the
/// turn: those for which the system has no room, and those that come before the writer has been notified of the
/// last write's end. They go to libuv in one request with many buffers. An older libuv completes one request each
/// time that the socket becomes writable, so many small requests would take many turns. A writer that waits
/// for each write is never delayed.
final class WriteQueue: Cancelling {
  // The properties that a write touches which the system takes at once come first, so that they share a cache
  // line.
  /// The stream's handle, which every write looks at. Going through the stream would retain it each time.
  let block: HandleBlock
  let loop: EventLoop
  @exclusivity(unchecked) var pending = PendingWrites()
  /// See ``ByteStream/highWaterMark``.
  @exclusivity(unchecked) var highWaterMark = WriteQueue.usualHighWaterMark
  @exclusivity(unchecked) var shutdown = Shutdown.open {
    didSet { assert(oldValue.mayBecome(shutdown), "a shutdown that is \(oldValue) becomes \(shutdown)") }
  }
  /// The filter that the stream's bytes pass on their way from and to the system, such as TLS. Writes are
  /// then gathered until the end of the turn. It is kept here because a stream that has one has a queue of
  /// writes, and others aren't larger for it.
  @exclusivity(unchecked) var filter: (any StreamFilter)? {
    didSet { isFiltered = filter != nil }
  }
  /// Whether there is a filter. To ask for the filter would retain it.
  @exclusivity(unchecked) private(set) var isFiltered = false
  @exclusivity(unchecked) var gathering = Gathering.none
  /// Whether bytes that bypass the queue are being read from their file, so that the peer has nothing to take.
  @exclusivity(unchecked) private(set) var isFetching = false
  /// Why a write has failed. Later writes fail with the same code, because there would be a gap before their
  /// bytes.
  @exclusivity(unchecked) private(set) var failureCode: Int32?
  /// The code that waiting writes and `drain()` get when the stream has closed: 0 if the system has taken
  /// everything.
  @exclusivity(unchecked) var closingCode = UV_ECANCELED.rawValue
  /// The timeout that has closed the stream.
  @exclusivity(unchecked) private(set) var timeout: UVError?
  /// The stream. Sound: it owns this.
  unowned(unsafe) let owner: ByteStream
  var request: UnsafeMutablePointer<uv_write_t>?
  var shutdownRequest: UnsafeMutablePointer<uv_shutdown_t>?
  @exclusivity(unchecked) private var drainWaiters = Waiters<Void>()
  var shutdownWaiter: Completion<Void>?

  static let usualHighWaterMark = 65536

  init(_ owner: ByteStream) {
    self.owner = owner
    loop = owner.loop
    block = owner.block
  }

  deinit {
    request?.deallocate()
    shutdownRequest?.deallocate()
  }

  var isEmpty: Bool {
    @inline(__always) get { pending.isEmpty }
  }

  /// How many bytes are held here. A write counts whole, even if the system has taken a part of it.
  var heldByteCount: Int { pending.heldByteCount + outputCount }

  /// How many bytes the system has not yet taken.
  var byteCount: Int {
    pending.queuedByteCount + outputCount + (pending.inFlight.isEmpty ? 0 : inFlightByteCount)
  }

  private var inFlightByteCount: Int {
    if owner.isFile { return heldByteCount - pending.queuedByteCount }
    return cuv_write_queue_size(cuv_stream(block.raw))
  }

  // MARK: Writing

  /// How a write fares that begins now.
  var admission: ByteStream.Admission {
    @inline(__always) get {
      if let code = refusal() { return .refused(code) }
      return isFiltered ? .filtered : isEmpty ? .offered : .waits
    }
  }

  /// Keeps the bytes of a write that the system hasn't taken.
  @inline(__always)
  func wait(_ bytes: Bytes, after taken: Int, _ waiter: consuming PendingWrite.Waiter) -> PendingRequest {
    pending.beginWrite()
    pending.append(bytes.dropping(taken), waiter, isBegun: taken > 0)
    return sendRest(after: taken)
  }

  /// Keeps the bytes of a write of several buffers that the system hasn't taken.
  func wait(_ buffers: [Bytes], after taken: Int, _ waiter: PendingWrite.Waiter) -> PendingRequest {
    pending.beginWrite()
    pending.append(buffers, after: taken, waiter)
    return sendRest(after: taken)
  }

  func write(_ bytes: Bytes, passing handle: Handle, _ done: @escaping Completion<Void>) -> PendingRequest {
    if let code = refusal() { return owner.refuse(done, code) }
    let isFirst = isEmpty
    pending.beginWrite()
    pending.append(bytes, passing: handle, .callback(done))
    if isFirst { flush() } else { schedule() }
    return PendingRequest(self, generation: pending.generation)
  }

  /// Sends what was added to the queue: at once if the system has taken a part of it, or else in the next
  /// turn.
  func sendRest(after taken: Int) -> PendingRequest {
    if taken > 0 { flush() } else { schedule() }
    return PendingRequest(self, generation: pending.generation)
  }

  /// Whether nothing has ended the writing, except perhaps the stream's close.
  var takesMore: Bool { shutdown == .open && failureCode == nil }

  /// The code that says why nothing can be written; nil if writing is possible.
  func refusal() -> Int32? {
    if block.isClosing { return owner.closedError("write").code.rawValue }
    return shutdown == .open ? failureCode : UV_EPIPE.rawValue
  }

  /// Notes that libuv has refused a write that doesn't wait, which is the end of writing. Returns its code; 0
  /// for a file, of which libuv knows nothing, so that all bytes have to wait.
  func noteRefusal(_ code: Int32) -> Int {
    if owner.isFile { return 0 }
    failureCode = code
    return Int(code)
  }

  func schedule() {
    guard !gathering.isDue, pending.inFlight.isEmpty else { return }
    keepOwnerAlive()
    if gathering.begin() { loop.internals.flushNextTurn(owner) }
  }

  /// Keeps the stream alive while it writes. It usually keeps itself alive already, and then isn't touched.
  @inline(__always)
  func keepOwnerAlive() {
    if block.header.pointee.retainedOwner == nil { return owner.keepAlive(.writing) }
    block.header.pointee.activity.insert(.writing)
  }

  /// Ends what ``keepOwnerAlive()`` began.
  @inline(__always)
  private func letOwnerGo() {
    assert(pending.inFlight.isEmpty || block.isClosing, "libuv still writes")
    block.header.pointee.activity.remove(.writing)
    if block.header.pointee.activity.isEmpty { owner.letGo(.writing) }
  }

  /// Hands the queued writes to libuv.
  func flush() {
    gathering.flush()
    guard pending.inFlight.isEmpty, !block.isClosing || owner.isFile else { return }
    guard !pending.queued.isEmpty else { return becameEmpty() }
    if isFiltered, let filter { return flush(through: filter) }
    pending.send()
    keepOwnerAlive()
    if owner.isFile { return owner.writeInFlight() }
    let handle = pending.inFlight[0].handle
    if let handle, handle.isClosing { return fail(UV_EBADF.rawValue) }
    let offer = pending.offerInFlight(to: owner.stream) { mayGoOn(after: $0) }
    if offer.code < 0 {
      failureCode = offer.code
      return fail(offer.code)
    }
    let rest = pending.inFlight[offer.taken...]
    let request = self.request ?? .allocate(capacity: 1)
    self.request = request
    let code = PendingWrites.withBuffers(rest) { buffers, count in
      cuv_write(request, owner.stream, buffers, count, handle.map { cuv_stream($0.block.raw) }, didWrite)
    }
    if code < 0 { fail(code) } else { noteWait() }
  }

  /// Ends a write that libuv has refused, but not on its caller's stack.
  func fail(_ code: Int32) {
    let entries = pending.takeInFlight()
    if pending.hasBegun(entries[0]) || entries[0].outcome == 0 { failureCode = code }
    loop.queueMicrotask { [self] in end(entries, code) }
  }

  func finish(_ code: Int32) {
    let count = pending.inFlightByteCount
    let entries = pending.takeInFlight()
    if code < 0 {
      failureCode = code
    } else {
      loop.noteWritten(count, to: block)
    }
    // Only now: nothing waits for room any more when the timeouts look.
    noteFetched()
    end(entries, code)
  }

  private func end(_ entries: [PendingWrite], _ code: Int32) {
    let rest = failureCode != nil ? pending.takeQueued() : []
    // The entries may have left, and yet the rest can't follow them.
    let restCode = failureCode ?? code
    if isFiltered { letFilterRead() }
    for entry in entries { entry.resume(code) }
    for entry in rest { entry.resume(restCode) }
    // Not at once: libuv can end several requests in one turn, each of which would carry the little that has
    // been written since the one before.
    if pending.queued.isEmpty { becameEmpty(restCode) } else { schedule() }
  }

  private func becameEmpty(_ code: Int32 = 0) {
    // If the stream is closing, its close notifies all waiters.
    guard isEmpty, !block.isClosing else { return }
    if !drainWaiters.isEmpty { notifyDrained(code) }
    if shutdown == .waits, let done = shutdownWaiter.take() {
      if code < 0 {
        // The writing side isn't ended: the peer would think that it has everything.
        shutdown = .failed
        done(.failure(failure(code, "shutdown")))
      } else {
        startShutdown(done)
      }
    }
    // A writer that has been answered may write again. With a filter, a shutdown goes on in a microtask, after
    // the filter's last word.
    if isEmpty, shutdown != .waits { letOwnerGo() }
  }

  /// Nothing is left, because the system has taken everything at once. Callers that wait for that are answered after
  /// the writers.
  func becameEmptyAtOnce() {
    // The filter, which may read again, may have something to say itself.
    guard isEmpty else { return }
    if drainWaiters.isEmpty, shutdown != .waits { return letOwnerGo() }
    loop.queueMicrotask { [self] in becameEmpty(failureCode ?? 0) }
  }

  private func notifyDrained(_ code: Int32) {
    for done in drainWaiters.takeAll() { done(code < 0 ? .failure(failure(code, "write")) : .success(())) }
  }

  // MARK: Standing back

  /// Holds back later writes while bytes bypass the queue. Returns a code if that isn't possible.
  ///
  /// - Parameter done: Called at the end. It gets a failure if the stream closes before ``release()``.
  func hold(_ done: @escaping Completion<Void>) -> Int32? {
    if let code = refusal() { return code }
    guard isEmpty else { return UV_EBUSY.rawValue }
    pending.standIn(.callback(done))
    owner.keepAlive(.writing)
    beginFetching()
    return nil
  }

  /// Notes that bytes wait for room in the system.
  func noteWait() { block.withSidecar { $0.beginWriting() } }

  /// Notes that some of the bytes that bypass the queue have left.
  func noteProgress() { block.withSidecar { $0.noteProgress() } }

  /// Notes that bytes that bypass the queue are being read from their file.
  func beginFetching() {
    // A part that was taken at once is followed by the next.
    if isFetching { return }
    isFetching = true
    block.withSidecar { $0.beginFetching() }
  }

  /// Notes that the bytes that bypass the queue have been read from their file. They may wait for room now.
  func noteFetched() {
    guard isFetching else { return }
    isFetching = false
    block.withSidecar { $0.endFetching() }
  }

  /// Lets the writes go on that ``hold(_:)`` held back. Called once, unless the stream has closed.
  func release() { finish(0) }

  // MARK: Waiting, cancelling, ending

  func drain(_ done: @escaping Completion<Void>) -> PendingRequest {
    if isEmpty {
      loop.complete(done, .write)
      return PendingRequest()
    }
    return PendingRequest(self, slot: Slot.drain.rawValue, generation: drainWaiters.add(done))
  }

  /// The kinds of requests that can be cancelled, as the slot of a pending request.
  enum Slot: UInt {
    case write, drain, shutdown
  }

  func cancel(slot: UInt, generation: UInt) {
    switch Slot(rawValue: slot) {
    case .drain: cancelDrain(generation)
    case .shutdown: cancelShutdown()
    default: cancelWrite(generation)
    }
  }

  func awaited(slot: UInt, generation: UInt) -> Awaited? {
    switch Slot(rawValue: slot) {
    case .drain: drainWaiters.contains(generation) ? Awaited(operation: "drain", object: owner) : nil
    case .shutdown: owner.isClosing ? nil : Awaited(operation: "shutdown", object: owner)
    default: pending.contains(generation) ? Awaited(operation: "write", object: owner) : nil
    }
  }

  private func cancelDrain(_ number: UInt) {
    guard let done = drainWaiters.take(number) else { return }
    loop.enqueue(.completion(done, .write, UV_ECANCELED.rawValue))
  }

  private func cancelWrite(_ generation: UInt) {
    guard let waiter = pending.cancel(generation) else { return }
    loop.queueMicrotask { waiter.resume(UV_ECANCELED.rawValue) }
  }

  /// Takes out all waiters, because of a timeout. The stream closes next.
  ///
  /// - Returns: A function that notifies them.
  func takeWaiters(_ timeout: UVError) -> () -> Void {
    self.timeout = timeout
    failureCode = timeout.code.rawValue
    _ = pending.noteInFlight(rest: inFlightByteCount)
    let writers = pending.takeWaiters()
    let drainers = drainWaiters.takeAll()
    let shutdownWaiter = shutdownWaiter.take()
    if shutdown == .waits { shutdown = .failed }
    return {
      for writer in writers { writer.resume(timeout) }
      for done in drainers { done(.failure(timeout)) }
      shutdownWaiter?(.failure(timeout))
    }
  }

  /// libuv has ended its writes by now; the others end here.
  func didClose() {
    let entries = pending.takeInFlight() + pending.takeQueued()
    for entry in entries { entry.resume(closingCode) }
    let code = closingCode
    for done in drainWaiters.takeAll() { done(code < 0 ? .failure(failure(code, "write")) : .success(())) }
    shutdownWaiter.take()?(.failure(failure(UV_ECANCELED.rawValue, "shutdown")))
  }
}

func didWrite(_ request: UnsafeMutablePointer<uv_write_t>?, _ code: Int32) {
  let stream = owner(of: request!.pointee.handle, as: ByteStream.self)
  let loop = stream.loop
  loop.callback { stream.writes.finish(code) }
}
