import CUV

/// Streams whose bytes pass through a filter.
extension ByteStream {
  /// Sets the filter. Called once, before anybody reads or writes.
  package func setFilter(_ filter: any StreamFilter) {
    frameReads.filter = filter
    writes.filteredReads = unmanagedFrames
  }

  /// Reads for the filter, although nobody asks for bytes.
  package func readForFilter() throws(UVError) {
    try checkOpen("read")
    if source.isProducing { return }
    try startReading()
    keepAlive(.filter)
  }

  /// Ends what ``readForFilter()`` began.
  package func stopReadingForFilter() {
    if !isClosing, !source.isProducing { uv_read_stop(stream) }
    block.header.pointee.activity.remove(.filterEnding)
    letGo(.filter)
  }

  /// Ends what ``readForFilter()`` began, at the end of the callback that has read. If a reader asks until then, libuv goes on
  /// reading: to stop and to start again would cost two calls of the system.
  package func endReadingForFilter() {
    guard block.header.pointee.activity.isSuperset(of: [.callback, .filter]) else {
      return stopReadingForFilter()
    }
    block.header.pointee.activity.insert(.filterEnding)
  }

  /// Sends what the filter has to say, before all bytes that are still to be written.
  package func flushFilter() {
    if let filter = frames?.filter { flushOutput(of: filter) }
  }

  private func flushOutput(of filter: any StreamFilter) {
    if filter.output.isEmpty { return }
    let writes = writes
    writes.sendOutput(of: filter)
    if writes.hasTooMuchOutput { restForFilter() }
  }

  /// Stops reading until the peer has taken what the filter has to say. A write waits meanwhile, at whose end
  /// ``goOnForFilter()`` is called.
  private func restForFilter() {
    if isClosing { return }
    uv_read_stop(stream)
    keepAlive(.filterResting)
  }

  /// Goes on after ``restForFilter()``.
  func goOnForFilter() {
    letGo(.filterResting)
    guard !isClosing, source.isProducing || block.header.pointee.activity.contains(.filter) else { return }
    do throws(UVError) { try startReading() } catch { source.finish(error) }
  }

  /// Takes bytes from the system.
  func receive(_ count: Int, through filter: any StreamFilter, _ frames: FrameReads) {
    filter.received(count)
    deliver(through: filter, frames)
  }

  /// Delivers what has come through the filter. If nobody asks any more, the stream keeps the rest, which is less than two
  /// reads of the system.
  package func deliverFiltered() {
    if let frames, let filter = frames.filter { deliver(through: filter, frames) }
  }

  // A handler may close the stream, or give its connection to another.
  private func deliver(through filter: any StreamFilter, _ frames: FrameReads) {
    if filter.advance() { while readOn(filter, frames) {} }
    if !frames.isFiltered { return }
    filter.endReceiving()
    if !isClosing { flushOutput(of: filter) }
  }

  /// Delivers as many bytes as one buffer holds; false if there is nothing more to deliver.
  private func readOn(_ filter: any StreamFilter, _ frames: FrameReads) -> Bool {
    if isClosing || !frames.isFiltered { return false }
    var buffer = uv_buf_t()
    if !frames.reserveInPlace(&buffer) { loop.readBuffer.reserve(&buffer) }
    switch filter.read(into: UnsafeMutableRawBufferPointer(start: buffer.base, count: buffer.len)) {
    case .bytes(let count, let isAll):
      deliver(count, frames)
      return !isAll
    case .wait: break
    case .end: endFiltered(nil)
    case .failed(let error):
      writes.failLater(error.code.rawValue)
      endFiltered(error)
    }
    return false
  }

  private func endFiltered(_ error: UVError?) {
    uv_read_stop(stream)
    endReading(error)
  }
}
