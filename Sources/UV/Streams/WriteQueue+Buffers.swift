import CUV

/// Writes of several buffers, which leave in one system call where possible.
extension WriteQueue {
  func write(_ buffers: [Bytes], _ done: @escaping Completion<Void>) -> PendingRequest {
    if let code = refusal() { return refuse(done, code) }
    let taken = gathers ? 0 : offer(buffers)
    if taken < 0 || taken == buffers.byteCount { return tell(done, taken) }
    return wait(buffers, after: taken, .callback(done))
  }

  /// Keeps the bytes of a write of several buffers that the system hasn't taken.
  func wait(_ buffers: [Bytes], after taken: Int, _ waiter: PendingWrite.Waiter) -> PendingRequest {
    pending.beginWrite()
    pending.append(buffers, after: taken, waiter)
    return sendRest(after: taken)
  }

  /// Writes several buffers without waiting. Returns the number of bytes taken, 0 if other writes wait before
  /// them, or a libuv code.
  func offer(_ buffers: [Bytes]) -> Int {
    isEmpty && !isFiltered ? owner.offer(buffers) : 0
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
