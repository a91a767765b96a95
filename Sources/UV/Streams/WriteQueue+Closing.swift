import CUV

extension WriteQueue {
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

extension WriteQueue: Goodbye {
  /// Says the filter's last word, as far as there is room. The stream has gone, and closes next. Nothing
  /// waits here, and `owner` is no more.
  func sayGoodbye() {
    loop.assertOnLoop()
    guard takesMore, !block.isClosing, let filter, filter.end() else { return }
    let output = filter.output
    // Without room the word is lost: the stream closes.
    _ = cuv_try_write(cuv_stream(block.raw), output.baseAddress!, output.count)
  }
}
