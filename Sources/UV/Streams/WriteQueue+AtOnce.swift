import CUV

/// Writes that don't wait for the system.
extension WriteQueue {
  /// Writes as much as the system takes, and doesn't keep the rest.
  func tryWrite(_ buffers: [Bytes]) throws(UVError) -> Int {
    if let code = refusal() { throw failure(code, "try_write") }
    guard isEmpty, !buffers.isEmpty else { return 0 }
    if let filter { return try tryWrite(buffers, through: filter) }
    let count = min(buffers.count, PendingWrites.buffersPerCall)
    let result = withUnsafeTemporaryAllocation(of: uv_buf_t.self, capacity: count) { list in
      for index in 0..<count {
        cuv_buf_set(list.baseAddress! + index, buffers[index].start, buffers[index].count)
      }
      return withExtendedLifetime(buffers) { uv_try_write(owner.stream, list.baseAddress, UInt32(count)) }
    }
    let taken = taken(result)
    if taken < 0 { throw failure(taken, "try_write") }
    return taken
  }

  /// Offers the system the writes that wait here, and notes for each whether it has been taken. The stream
  /// closes next. libuv would have offered each write at once, so whatever there is room for must leave even
  /// if the stream is closed.
  func handOver() {
    // If libuv has begun a write and not ended it, nothing can overtake that.
    guard pending.noteInFlight(rest: uv_stream_get_write_queue_size(owner.stream)) else { return }
    let code = filter.map { handOver(through: $0) } ?? pending.offerQueued(to: owner.stream)
    closingCode = code == UV_EAGAIN.rawValue ? UV_ECANCELED.rawValue : code
  }
}
