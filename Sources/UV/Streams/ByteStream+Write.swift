import CUV

extension ByteStream {
  /// Writes bytes: at once if the system takes them, else when it does, in order.
  ///
  /// What is written before the end of the last write has been told is gathered, and leaves together at the end of
  /// the loop's turn.
  ///
  /// - Returns: A request that ends when the system has taken all of the bytes. It fails with `brokenPipe` after
  ///   ``shutdown()`` or once the peer has gone, with `cancelled` if the stream is closed before. Once some bytes
  ///   have failed on their way, so does all that would come after them.
  ///
  /// The corresponding libuv functions are `uv_try_write` and `uv_write`.
  @inlinable
  @inline(__always)
  public final func write(_ bytes: Bytes) -> Request<Void> { Request(writing: bytes, to: self) }

  /// Writes bytes; see ``write(_:)-(Bytes)``.
  ///
  /// The corresponding libuv functions are `uv_try_write` and `uv_write`.
  @discardableResult
  public func write(_ bytes: Bytes, _ done: @escaping Completion<Void>) -> PendingRequest {
    writes.write(bytes, done)
  }

  /// Writes several buffers one after the other, in one system call where possible.
  ///
  /// The corresponding libuv function is `uv_write`.
  public func write(_ buffers: [Bytes]) -> Request<Void> {
    Request(loop) { [self] in write(buffers, $0) }
  }

  /// Writes several buffers; see ``write(_:)-([Bytes])``.
  ///
  /// The corresponding libuv function is `uv_write`.
  @discardableResult
  public func write(_ buffers: [Bytes], _ done: @escaping Completion<Void>) -> PendingRequest {
    writes.write(buffers, done)
  }

  /// Bytes that have been written here but not yet taken by the system.
  ///
  /// The corresponding libuv function is `uv_stream_get_write_queue_size`.
  public var writeQueueSize: Int { writes.byteCount }

  /// Whether more bytes wait to be written than ``highWaterMark``.
  ///
  /// Who waits for each write, as `await` does, need not ask: no more than that write is kept. Who does not goes on
  /// after ``drain()``, so that a peer that does not read costs a bounded amount of memory.
  public var isAboveHighWaterMark: Bool { writeQueueSize > highWaterMark }

  /// Waits until the system has taken everything that was written.
  ///
  /// - Returns: A request that fails as a write does that is lost on its way, and with `cancelled` if the stream is
  ///   closed before.
  public func drain() -> Request<Void> { Request(loop) { [self] in drain($0) } }

  /// Waits until the system has taken everything that was written; see ``drain()``.
  @discardableResult
  public func drain(_ done: @escaping Completion<Void>) -> PendingRequest { writes.drain(done) }

  /// Whether bytes may still be written: true until ``shutdown()`` or an error.
  ///
  /// The corresponding libuv function is `uv_is_writable`.
  public var isWritable: Bool {
    !isClosing && !writes.isShutDown && writes.failureCode == nil && uv_is_writable(stream) != 0
  }

  /// Ends the writing side once everything written has left; the peer reads an end, and may still be read from.
  ///
  /// - Returns: A request that fails with the error of a write that was lost on its way, with `notConnected` if the
  ///   writing side has been ended before, and with `cancelled` if the stream is closed meanwhile. To cancel it
  ///   ends the waiting; the writing side ends all the same.
  ///
  /// The corresponding libuv function is `uv_shutdown`.
  public func shutdown() -> Request<Void> { Request(loop) { [self] in shutdown($0) } }

  /// Ends the writing side; see ``shutdown()``.
  ///
  /// The corresponding libuv function is `uv_shutdown`.
  @discardableResult
  public func shutdown(_ done: @escaping Completion<Void>) -> PendingRequest { writes.shutDown(done) }

  func flush() { writes.flush() }

  /// Writes without waiting: the number of bytes taken, or an error.
  @usableFromInline
  func writeNow(_ bytes: Bytes) -> Result<Int, UVError> { writes.writeNow(bytes) }

  /// Waits until the rest of a write has been taken.
  @usableFromInline
  nonisolated(nonsending) func writeRest(of bytes: Bytes, after taken: Int) async -> Result<Void, UVError> {
    await writes.writeRest(of: bytes, after: taken)
  }
}
