import CUV

/// Writes that needn't wait.
///
/// The system takes most writes at once. A stream whose writes have all been taken has nothing to remember of them, and so no
/// ``WriteQueue``, which takes as much memory as the rest of a connection's objects. It is made for the first write that
/// waits or fails, for a filter, for the end of writing and for a high-water mark, and then stays until the stream goes.
extension ByteStream {
  /// The writes that wait, which are made now if there are none.
  var writes: WriteQueue {
    if let unmanagedWrites { return unmanagedWrites.takeUnretainedValue() }
    let writes = WriteQueue(self)
    unmanagedWrites = .passRetained(writes)
    return writes
  }

  /// Calls `body` with the writes that wait, if there have been any, without retaining them. Sound: they go with the stream.
  @inline(__always)
  @discardableResult
  func writesIfAny<T>(_ body: (WriteQueue) -> T) -> T? { unmanagedWrites?._withUnsafeGuaranteedRef(body) }

  /// Whether bytes pass a filter.
  var isFiltered: Bool {
    @inline(__always) get { writesIfAny { $0.isFiltered } ?? false }
  }

  // MARK: Callbacks

  /// Writes while there are no ``writes``.
  @inline(__always)
  func writeAtOnce(_ bytes: Bytes, _ done: @escaping Completion<Void>) -> PendingRequest {
    if block.isClosing { return refuse(done) }
    if gathers { return writes.write(bytes, done) }
    let taken = offer(bytes)
    if taken == bytes.count { return tell(done) }
    let writes = writes
    return taken < 0 ? writes.tell(done, taken) : writes.wait(bytes, after: taken, .callback(done))
  }

  /// The same with several buffers.
  func writeAtOnce(_ buffers: [Bytes], _ done: @escaping Completion<Void>) -> PendingRequest {
    if block.isClosing { return refuse(done) }
    if gathers { return writes.write(buffers, done) }
    let taken = offer(buffers)
    if taken == buffers.byteCount { return tell(done) }
    let writes = writes
    return taken < 0 ? writes.tell(done, taken) : writes.wait(buffers, after: taken, .callback(done))
  }

  /// Whether a write waits for those that may follow it; see ``WriteQueue/gathers``.
  private var gathers: Bool {
    @inline(__always) get { lastTold >= loop.microtasks.state.pointee.taken }
  }

  /// Tells a writer in a microtask that the system has taken its bytes.
  @inline(__always)
  private func tell(_ done: @escaping Completion<Void>) -> PendingRequest {
    lastTold = loop.microtasks.nextNumber
    loop.complete(done, .write, 0)
    return PendingRequest()
  }

  @inline(never)
  private func refuse(_ done: @escaping Completion<Void>) -> PendingRequest {
    loop.complete(done, .write, closedError("write").code.rawValue)
    return PendingRequest()
  }

  // MARK: Tasks

  /// Writes without waiting: the number of bytes taken, or an error. The number is ``WriteQueue/notTried`` if the turn's budget
  /// is used up.
  @usableFromInline
  func writeNow(_ bytes: Bytes) -> Result<Int, UVError> {
    loop.spend(1) ? .success(WriteQueue.notTried) : offerForTask(bytes)
  }

  /// Writes for a task. A task has only one write under way at a time, so there is nothing to gather.
  @inline(__always)
  private func offerForTask(_ bytes: Bytes) -> Result<Int, UVError> {
    if let outcome = writesIfAny({ $0.offerForTask(bytes) }) { return outcome }
    if let error = refusalForTask() { return .failure(error) }
    let taken = offer(bytes)
    return taken < 0 ? .failure(failure(taken, "write")) : .success(taken)
  }

  /// Why the running task can't write now.
  @inline(__always)
  private func refusalForTask() -> UVError? {
    if unmanagedWrites != nil { return writes.refusalForTask() }
    if cuv_task_is_cancelled(cuv_current_task()) { return UVError(.cancelled, operation: "write") }
    return block.isClosing ? closedError("write") : nil
  }

  /// Waits until the system has taken the rest of a task's write.
  @usableFromInline
  nonisolated(nonsending) func writeRest(of bytes: Bytes, after taken: Int) async -> Result<Void, UVError> {
    var taken = taken
    if taken == WriteQueue.notTried {
      await loop.giveWay()
      switch offerForTask(bytes) {
      case .success(bytes.count): return .success(())
      case .success(let count): taken = count
      case .failure(let error): return .failure(error)
      }
    }
    if taken == WriteQueue.sealed { taken = bytes.count }
    let writes = writes
    let code: Int32 = await suspend(on: loop, task: loop.currentTask) { continuation in
      writes.wait(bytes, after: taken, .task(continuation))
    }
    return code < 0 ? .failure(writes.error(code)) : .success(())
  }

  /// Writes several buffers for a task, which is suspended only if the system doesn't take everything at once.
  @usableFromInline
  nonisolated(nonsending) func writeForTask(_ buffers: [Bytes]) async -> Result<Void, UVError> {
    if loop.spend(1) { await loop.giveWay() }
    if let error = refusalForTask() { return .failure(error) }
    let taken = offerUnlessOthersWait(buffers)
    if taken < 0 { return .failure(failure(taken, "write")) }
    if taken == buffers.byteCount { return .success(()) }
    let writes = writes
    let code: Int32 = await suspend(on: loop, task: loop.currentTask) { continuation in
      writes.wait(buffers, after: taken, .task(continuation))
    }
    return code < 0 ? .failure(writes.error(code)) : .success(())
  }

  private func offerUnlessOthersWait(_ buffers: [Bytes]) -> Int {
    writesIfAny { $0.offer(buffers) } ?? offer(buffers)
  }

  // MARK: Offering

  /// Offers the system bytes, if nothing waits before them. Returns how many it has taken, or libuv's code, which all later
  /// writes get, too.
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

extension EventLoop {
  /// Notes that the system has taken bytes of a stream.
  @inline(__always)
  func noteWritten(_ count: Int, to block: HandleBlock) {
    microtasks.state.pointee.counts.bytesWritten &+= count
    block.withSidecar { $0.noteWrite() }
  }
}
