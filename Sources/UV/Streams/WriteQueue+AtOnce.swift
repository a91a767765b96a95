import CUV

/// What the system takes without waiting.
extension WriteQueue {
  /// Writes what the system takes, and keeps nothing of the rest.
  func tryWrite(_ buffers: [Bytes]) throws(UVError) -> Int {
    if let code = refusal() { throw failure(code, "try_write") }
    guard isEmpty, !buffers.isEmpty else { return 0 }
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

  /// Hands over what waits here, and notes of each write whether it has been taken; the stream closes next. libuv would
  /// have handed the system each write at once, so that what there is room for leaves also if the stream is closed.
  func handOver() {
    // Nothing can overtake what libuv has begun with and not ended.
    guard pending.noteInFlight(rest: uv_stream_get_write_queue_size(owner.stream)) else { return }
    let code = pending.offerQueued(to: owner.stream)
    closingCode = code == UV_EAGAIN.rawValue ? UV_ECANCELED.rawValue : code
  }
}
