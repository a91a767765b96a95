import CUV

/// A filter that a stream's bytes pass on their way from and to the system: TLS.
///
/// A filter stands where libuv stands for other streams. It is asked to fill a buffer, and to take bytes to
/// send. It knows nothing of readers, writers, frames or water marks, and these know nothing of it.
/// Everything happens on the loop's thread.
package protocol StreamFilter: AnyObject {
  // MARK: Reading

  /// Memory for the system's next bytes. It may be shared by all filters of a thread; see ``endReceiving()``.
  func reserve() -> UnsafeMutableRawBufferPointer

  /// Takes bytes that have come to the memory that was reserved last.
  func received(_ count: Int)

  /// Does what comes before the first byte: a handshake.
  ///
  /// - Returns: Whether bytes can be read now.
  func advance() -> Bool

  /// Turns what has come into bytes for readers, as many as there are and as the buffer has room for.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> FilteredRead

  /// Called when nothing more is read from what has come, before others use the shared memory.
  func endReceiving()

  /// The system's bytes have ended, or failed with an error. The stream's close is such an error, too.
  ///
  /// - Returns: The error for readers; nil if it is a clean end.
  func transportEnded(_ error: UVError?) -> UVError?

  /// The service that the stream belongs to ends.
  func serviceEnds()

  // MARK: Writing

  /// Turns bytes into bytes for the system, which follow the others of ``output``.
  ///
  /// - Returns: Why that isn't possible.
  func seal(_ bytes: UnsafeRawBufferPointer) -> UVError?

  /// Bytes for the system: what was sealed, and what the filter itself has to say. The stream counts them as
  /// its own.
  var output: UnsafeRawBufferPointer { get }

  /// Forgets the bytes of ``output``. The system has them, or they were copied.
  func dropOutput()

  /// Adds to ``output`` what the filter says at the end of writing.
  ///
  /// - Returns: False if there is nothing to say, or if it has been said.
  func end() -> Bool
}

/// The answer of a filter to a reader.
package enum FilteredRead {
  /// So many bytes are in the buffer, at least one. `isAll`: there is nothing more until more has come.
  case bytes(Int, isAll: Bool)
  /// More has to come first.
  case wait
  /// The peer has ended the stream.
  case end
  case failed(UVError)
}

/// Something that secures a client's connections, as TLS does. A module whose protocol may be secured, such as
/// `UVHTTP`, takes one, so that it needs no TLS itself: `HTTPClient(loop, security: loop.tls)`.
public protocol StreamSecurity {
  /// Secures a connection that is open, and verifies that the peer is `host`.
  ///
  /// - Parameters:
  ///   - stream: The connection. It is used up, as `loop.tls.secure` says.
  ///   - host: The name or the address of the peer.
  /// - Returns: A request for the secured connection.
  func secure(_ stream: ByteStream, host: String) -> Request<ByteStream>
}

/// Streams whose bytes pass through a filter. It stands between libuv and the readers and writers: for
/// reading, libuv fills the filter's memory, and the filter fills the memory that libuv would have filled.
extension ByteStream {
  /// The filter, if there is one.
  var filter: (any StreamFilter)? { writesIfAny { $0.filter } ?? nil }

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
