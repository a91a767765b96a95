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
    let code = uv_read_start(stream, allocateForRead, didRead)
    if code != UV_EALREADY.rawValue { try check(code, "read") }
    keepAlive(.filter)
  }

  /// Ends what ``readForFilter()`` began.
  package func stopReadingForFilter() {
    if !isClosing, !source.isProducing { uv_read_stop(stream) }
    letGo(.filter)
  }

  /// Sends what the filter has to say, before all bytes that are still to be written.
  package func flushFilter() {
    if let filter = frames?.filter { flushOutput(of: filter) }
  }

  private func flushOutput(of filter: any StreamFilter) {
    if !filter.output.isEmpty { writes.flushOutput() }
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

  /// Delivers as many bytes as one buffer holds; false if there is nothing more.
  private func readOn(_ filter: any StreamFilter, _ frames: FrameReads) -> Bool {
    if isClosing || !frames.isFiltered { return false }
    var buffer = uv_buf_t()
    if !frames.reserveInPlace(&buffer) { loop.readBuffer.reserve(&buffer) }
    switch filter.read(into: UnsafeMutableRawBufferPointer(start: buffer.base, count: buffer.len)) {
    case .bytes(let count):
      deliver(count, frames)
      return true
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

/// One stream's connection, taken over by another.
extension ByteStream {
  /// A kind of connection that another stream can take over.
  struct Transport {
    let size: Int
    let operation: String
    let initialize: (UnsafeMutableRawPointer) -> Int32
    let open: (UnsafeMutableRawPointer, Int32) -> Int32
  }

  func transportToGiveUp() throws(UVError) -> Transport {
    try checkOpen("secure")
    if !writes.isEmpty { throw UVError(.busy, operation: "secure") }
    if let code = writes.refusal() { throw failure(code, "secure") }
    let raw = loop.raw
    switch cuv_handle_type(block.handle) {
    case UV_TCP:
      return Transport(size: MemoryLayout<uv_tcp_t>.size, operation: "tcp_init") {
        uv_tcp_init(raw, $0.assumingMemoryBound(to: uv_tcp_t.self))
      } open: {
        uv_tcp_open($0.assumingMemoryBound(to: uv_tcp_t.self), $1)
      }
    case UV_NAMED_PIPE:
      return Transport(size: MemoryLayout<uv_pipe_t>.size, operation: "pipe_init") {
        uv_pipe_init(raw, $0.assumingMemoryBound(to: uv_pipe_t.self), 0)
      } open: {
        uv_pipe_open($0.assumingMemoryBound(to: uv_pipe_t.self), $1)
      }
    default: throw UVError(.notSupported, operation: "secure", subject: "\(type(of: self))")
    }
  }

  /// Opens a duplicate of the other stream's descriptor. So each handle closes a descriptor of its own, and the other stream
  /// needs no state for "given away".
  func open(_ plain: ByteStream, _ transport: Transport) throws(UVError) {
    let descriptor = try cuv_duplicate(plain.fileDescriptor())
    try check(descriptor, "secure")
    let code = transport.open(block.raw, descriptor)
    if code < 0 { _ = CUV.close(descriptor) }
    try check(code, "secure")
    block.own()
    highWaterMark = plain.highWaterMark
    if plain.block.header.pointee.role == .accepted { take(role: .accepted) }
  }

  /// Gives up the connection, which another stream has taken over.
  ///
  /// - Returns: The bytes that have come and that nobody has read, and the filter that they have passed.
  package func giveUp() -> (unread: Bytes, filter: (any StreamFilter)?) {
    let unread = frames?.takeUnread() ?? Bytes()
    let filter = frames?.filter
    frames?.filter = nil
    close()
    return (unread, filter)
  }
}
