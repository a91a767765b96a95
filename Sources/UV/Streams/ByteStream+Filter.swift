import CUV

/// Streams whose bytes pass through a filter. It stands between libuv and the readers and writers: for
/// reading, libuv fills the filter's memory, and the filter fills the memory that libuv would have filled.
extension ByteStream {
  /// The filter, if there is one.
  var filter: (any StreamFilter)? { writesIfAny { $0.filter } ?? nil }

  /// Whether bytes pass a filter.
  var isFiltered: Bool {
    @inline(__always) get { writesIfAny { $0.isFiltered } ?? false }
  }

  /// Sets the filter. Called before anybody reads or writes.
  package func setFilter(_ filter: any StreamFilter) { writes.filter = filter }

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

  /// Ends what ``readForFilter()`` began, at the end of the callback that has read. If a reader asks until
  /// then, libuv goes on reading: to stop and to start again would cost two calls of the system.
  package func endReadingForFilter() {
    guard block.header.pointee.activity.isSuperset(of: [.callback, .filter]) else {
      return stopReadingForFilter()
    }
    block.header.pointee.activity.insert(.filterEnding)
  }

  /// Sends what the filter has to say, before all bytes that are still to be written.
  package func flushFilter() {
    if let filter { flushOutput(of: filter) }
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
    do throws(UVError) { try startReading() } catch { endReading(error) }
  }

  // MARK: Reading

  /// Finishes a read whose bytes, or whose end, pass through the filter.
  ///
  /// - Returns: Whether bytes for readers have come. A part of a record is none, and neither are new keys.
  func finishFilteredRead(_ count: Int) -> Bool {
    let writes = writes
    writes.gathering.beginDelivering()
    var hasCome = false
    loop.callback {
      guard count > 0, let filter else { return endReading(count) }
      filter.received(count)
      hasCome = deliver(through: filter)
    }
    // An answer that was written meanwhile leaves first. A reader that waited for that can then ask again
    // before the stream pauses.
    if writes.gathering.endDelivering() { loop.callback { writes.flush() } }
    if !isClosing { flushFilter() }
    if count > 0 { pauseIfUnwanted() }
    if block.header.pointee.activity.contains(.filterEnding) { stopReadingForFilter() }
    return hasCome
  }

  /// Delivers what has come through the filter. If nobody asks any more, the stream keeps the rest, which is
  /// less than two reads of the system.
  package func deliverFiltered() {
    guard let filter else { return }
    let hasCome = deliver(through: filter)
    block.withSidecar { $0.goOnReading(hasCome) }
  }

  /// A handler may close the stream, or give its connection to another.
  ///
  /// - Returns: Whether there were bytes for readers.
  private func deliver(through filter: any StreamFilter) -> Bool {
    var hasCome = false
    if filter.advance() { while readOn(filter, &hasCome) {} }
    if !isFiltered { return hasCome }
    filter.endReceiving()
    // While a read is delivered, its end sends the output. So a handshake's last message leaves with the first
    // request, and a ticket with the first answer.
    if !isClosing, !writes.gathering.isDelivering { flushOutput(of: filter) }
    return hasCome
  }

  /// Delivers as many bytes as one buffer holds; false if there is nothing more to deliver.
  private func readOn(_ filter: any StreamFilter, _ hasCome: inout Bool) -> Bool {
    if isClosing || !isFiltered { return false }
    var buffer = uv_buf_t()
    if !reserveForReader(&buffer) { loop.readBuffer.reserve(&buffer) }
    switch filter.read(into: UnsafeMutableRawBufferPointer(start: buffer.base, count: buffer.len)) {
    case .bytes(let count, let isAll):
      hasCome = true
      deliver(count)
      return !isAll
    case .wait: break
    case .end: endFiltered(nil)
    case .failed(let error):
      // The peer hears of it before the handlers do, which may take long.
      if writes.isEmpty { flushOutput(of: filter) }
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
