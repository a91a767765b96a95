import CUV

/// Writes of several buffers, which leave in one system call where possible.
extension WriteQueue {
  func write(_ buffers: [Bytes], _ done: @escaping Completion<Void>) -> PendingRequest {
    if let code = refusal() { return refuse(done, code) }
    let taken = gathers ? 0 : offer(buffers)
    if taken < 0 || taken == buffers.byteCount { return tell(done, taken) }
    pending.beginWrite()
    pending.append(buffers, after: taken, .callback(done))
    return sendRest(after: taken)
  }

  /// Writes for a task, which is suspended only if the system doesn't take everything at once. A task has only
  /// one write under way at a time, so there is nothing to gather.
  nonisolated(nonsending) func write(_ buffers: [Bytes]) async -> Result<Void, UVError> {
    if loop.spend(1) { await loop.giveWay() }
    if let error = refusalForTask() { return .failure(error) }
    let taken = offer(buffers)
    if taken < 0 { return .failure(failure(taken, "write")) }
    if taken == buffers.byteCount { return .success(()) }
    let code: Int32 = await suspend(on: loop, task: loop.currentTask) { continuation in
      pending.beginWrite()
      pending.append(buffers, after: taken, .task(continuation))
      return sendRest(after: taken)
    }
    return code < 0 ? .failure(error(code)) : .success(())
  }

  /// Writes several buffers without waiting. Returns the number of bytes taken, 0 if other writes wait before
  /// them, or a libuv code.
  func offer(_ buffers: [Bytes]) -> Int {
    guard isEmpty, !isFiltered, !buffers.isEmpty else { return 0 }
    let count = min(buffers.count, PendingWrites.buffersPerCall)
    let result = withUnsafeTemporaryAllocation(of: uv_buf_t.self, capacity: count) { list in
      for index in 0..<count {
        cuv_buf_set(list.baseAddress! + index, buffers[index].start, buffers[index].count)
      }
      return withExtendedLifetime(buffers) { uv_try_write(owner.stream, list.baseAddress, UInt32(count)) }
    }
    let taken = taken(result)
    _ = loop.spend(TurnBudget.systemCall &+ taken >> 10)
    return taken
  }
}

extension [Bytes] {
  /// How many bytes all of them have.
  var byteCount: Int { reduce(0) { $0 + $1.count } }
}

/// Writes that don't wait for the system.
extension WriteQueue {
  /// Writes as much as the system takes, and doesn't keep the rest.
  func tryWrite(_ buffers: [Bytes]) throws(UVError) -> Int {
    if let code = refusal() { throw failure(code, "try_write") }
    guard isEmpty else { return 0 }
    if let filter, !buffers.isEmpty { return try tryWrite(buffers, through: filter) }
    let taken = offer(buffers)
    if taken < 0 { throw failure(taken, "try_write") }
    return taken
  }

  /// Offers the system the writes that wait here, and notes for each whether it has been taken. The stream
  /// closes next. libuv would have offered each write at once, so whatever there is room for must leave even
  /// if the stream is closed.
  func handOver() {
    // If libuv has begun a write and not ended it, nothing can overtake that.
    guard pending.noteInFlight(rest: cuv_write_queue_size(owner.stream)) else { return }
    let code = filter.map { handOver(through: $0) } ?? pending.offerQueued(to: owner.stream)
    closingCode = code == UV_EAGAIN.rawValue ? UV_ECANCELED.rawValue : code
  }
}
