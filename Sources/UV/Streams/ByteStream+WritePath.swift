import CUV

/// Writes, and what happens to one that begins.
///
/// The system takes most writes at once. A stream whose writes have all been taken has nothing to remember of
/// them, and so no ``WriteQueue``, which takes as much memory as the rest of a connection's objects. It is
/// made for the first write that waits or fails, for a filter, for the end of writing and for a high-water
/// mark, and then stays until the stream goes.
extension ByteStream {
  /// How a write fares that begins now.
  enum Admission {
    /// The system is offered its bytes.
    case offered
    /// Others wait before it.
    case waits
    /// Its bytes pass a filter.
    case filtered
    /// Nothing can be written. libuv's code says why.
    case refused(Int32)
  }

  var admission: Admission {
    @inline(__always) get {
      if let admission = writesIfAny({ $0.admission }) { return admission }
      return block.isClosing ? .refused(closedError("write").code.rawValue) : .offered
    }
  }

  /// The writes that wait, which are made now if there are none.
  var writes: WriteQueue {
    if let unmanagedWrites { return unmanagedWrites.takeUnretainedValue() }
    let writes = WriteQueue(self)
    unmanagedWrites = .passRetained(writes)
    return writes
  }

  // MARK: Callbacks

  /// Begins a write of `count` bytes.
  ///
  /// - Parameters:
  ///   - offer: Offers the system the bytes, and returns how many it has taken, or libuv's code.
  ///   - wait: Keeps the bytes after those that the system has taken.
  @inline(__always)
  func begin(
    _ count: Int, _ done: @escaping Completion<Void>, offer: () -> Int, wait: (_ taken: Int) -> PendingRequest
  ) -> PendingRequest {
    var taken = 0
    switch admission {
    case .refused(let code): return refuse(done, code)
    case .offered: if !gathers { taken = offer() }
    // A write without bytes ends after those before it, too.
    case .waits: return wait(0)
    case .filtered: if !writes.isEmpty { return wait(0) }
    }
    return taken < 0 || taken == count ? notify(done, taken) : wait(taken)
  }

  /// Whether a write waits for those that may follow it. That is so while the writer hasn't been notified that
  /// the write before has ended: it hasn't waited for that end, and so may well write more.
  private var gathers: Bool {
    @inline(__always) get { lastNotice >= loop.microtasks.state.pointee.taken }
  }

  /// Notifies a writer in a microtask how its write has ended, which didn't wait.
  @inline(__always)
  private func notify(_ done: @escaping Completion<Void>, _ taken: Int) -> PendingRequest {
    lastNotice = loop.microtasks.nextNumber
    loop.complete(done, .write, Int32(Swift.min(taken, 0)))
    return PendingRequest()
  }

  @inline(never)
  func refuse(_ done: @escaping Completion<Void>, _ code: Int32) -> PendingRequest {
    if code == UV_ETIMEDOUT.rawValue {
      let error = writeError(code)
      loop.answer { done(.failure(error)) }
    } else {
      loop.complete(done, .write, code)
    }
    return PendingRequest()
  }

  /// The error for a code: that of the timeout if there was one.
  func writeError(_ code: Int32) -> UVError {
    if code == UV_ETIMEDOUT.rawValue, let timeout = writesIfAny({ $0.timeout }) ?? nil { return timeout }
    return failure(code, "write")
  }

  /// Offers the system bytes without waiting, and notifies nobody.
  ///
  /// - Returns: How many bytes it has taken: none if others wait before them, if a filter has to change them,
  ///   or if nothing can be written, which a ``write(_:_:)-(Bytes,_)`` then reports.
  package func offerAtOnce(_ bytes: Bytes) -> Int {
    guard case .offered = admission else { return 0 }
    return Swift.max(offer(bytes), 0)
  }

  // MARK: Tasks

  /// How a task's write begins.
  @usableFromInline
  enum WriteStart {
    /// The system has taken so many of the bytes.
    case taken(Int)
    /// The turn's budget is used up.
    case notTried
    /// Nothing is left of the bytes, and the task waits all the same: a filter has taken them, and the system
    /// has no room for all that they have become; or there were none, and other writes wait.
    case waits
    case failed(UVError)

    @inlinable
    @inline(__always)
    func isEnd(of bytes: Bytes) -> Bool {
      if case .taken(bytes.count) = self { true } else { false }
    }
  }

  /// Writes without waiting.
  @usableFromInline
  func startWrite(_ bytes: Bytes) -> WriteStart { loop.spend(1) ? .notTried : offerForTask(bytes) }

  /// Writes for a task. A task has only one write under way at a time, so there is nothing to gather.
  @inline(__always)
  private func offerForTask(_ bytes: Bytes) -> WriteStart {
    if let error = cancellation { return .failed(error) }
    switch admission {
    case .refused(let code): return .failed(writeError(code))
    case .waits: return bytes.isEmpty ? .waits : .taken(0)
    case .filtered: return writes.startWrite(filtered: bytes)
    case .offered:
      let taken = offer(bytes)
      return taken < 0 ? .failed(failure(taken, "write")) : .taken(taken)
    }
  }

  /// The error of the running task if it is cancelled.
  private var cancellation: UVError? {
    @inline(__always) get {
      cuv_task_is_cancelled(cuv_current_task()) ? UVError(.cancelled, operation: "write") : nil
    }
  }

  /// Waits until the system has taken the rest of a task's write.
  @usableFromInline
  nonisolated(nonsending) func finishWrite(
    of bytes: Bytes, _ start: WriteStart
  ) async -> Result<Void, UVError> {
    var start = start
    if case .notTried = start {
      await loop.giveWay()
      start = offerForTask(bytes)
    }
    let taken: Int
    switch start {
    case .taken(bytes.count): return .success(())
    case .taken(let count): taken = count
    case .notTried: taken = 0
    case .waits: taken = bytes.count
    case .failed(let error): return .failure(error)
    }
    let writes = writes
    let code: Int32 = await suspend(on: loop, task: loop.currentTask) { continuation in
      writes.wait(bytes, after: taken, .task(continuation))
    }
    return code < 0 ? .failure(writeError(code)) : .success(())
  }

  /// Writes several buffers for a task, which is suspended only if the system doesn't take everything at
  /// once.
  @usableFromInline
  nonisolated(nonsending) func writeForTask(_ buffers: [Bytes]) async -> Result<Void, UVError> {
    if loop.spend(1) { await loop.giveWay() }
    if let error = cancellation { return .failure(error) }
    var (taken, waits) = (0, false)
    switch admission {
    case .refused(let code): return .failure(writeError(code))
    case .offered: taken = offer(buffers)
    case .waits: waits = true
    case .filtered: waits = !self.writes.isEmpty
    }
    if taken < 0 { return .failure(failure(taken, "write")) }
    if taken == buffers.byteCount, !waits { return .success(()) }
    let writes = writes
    let code: Int32 = await suspend(on: loop, task: loop.currentTask) { continuation in
      writes.wait(buffers, after: taken, .task(continuation))
    }
    return code < 0 ? .failure(writeError(code)) : .success(())
  }

  // MARK: Offering

  /// Offers the system bytes, if nothing waits before them. Returns how many it has taken, or libuv's code,
  /// which all later writes get, too.
  @inline(__always)
  func offer(_ bytes: Bytes) -> Int {
    _ = loop.spend(TurnBudget.systemCall &+ bytes.count >> 10)
    return taken(cuv_try_write(cuv_stream(block.raw), bytes.start, bytes.count))
  }

  /// The same with several buffers.
  func offer(_ buffers: [Bytes]) -> Int {
    if buffers.isEmpty { return 0 }
    let count = Swift.min(buffers.count, PendingWrites.buffersPerCall)
    let result = withUnsafeTemporaryAllocation(of: uv_buf_t.self, capacity: count) { list in
      for index in 0..<count {
        cuv_buf_set(list.baseAddress! + index, buffers[index].start, buffers[index].count)
      }
      return withExtendedLifetime(buffers) { uv_try_write(stream, list.baseAddress, UInt32(count)) }
    }
    let taken = taken(result)
    _ = loop.spend(TurnBudget.systemCall &+ taken >> 10)
    return taken
  }

  /// Turns libuv's result of a write that doesn't wait into a number of bytes. If there is no room, that is
  /// 0. Any other error is the end of writing.
  @inline(__always)
  func taken(_ result: Int32) -> Int {
    if result < 0 { return result == UV_EAGAIN.rawValue ? 0 : writes.noteRefusal(result) }
    loop.noteWritten(Int(result), to: block)
    return Int(result)
  }
}

extension [Bytes] {
  /// How many bytes all of them have.
  package var byteCount: Int { reduce(0) { $0 + $1.count } }
}

extension EventLoop {
  /// Notes that the system has taken bytes of a stream.
  @inline(__always)
  func noteWritten(_ count: Int, to block: HandleBlock) {
    microtasks.state.pointee.counts.bytesWritten &+= count
    block.withSidecar { $0.noteWrite() }
  }
}
