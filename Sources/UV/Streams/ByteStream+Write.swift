import CUV

extension ByteStream {
  /// Writes bytes: at once if the system takes them, else when it does, in order.
  ///
  /// What is written before the end of the last write has been told is gathered, and leaves together at the end of
  /// the loop's turn. If the stream is closed before, the system is given them as it closes, and takes what it has room
  /// for.
  ///
  /// - Returns: A request that ends when the system has taken all of the bytes. It fails with `brokenPipe` after
  ///   ``shutdown()`` or once the peer has gone, and with `cancelled` if the stream is closed before the system has taken
  ///   all of them. Once a write has failed, so does every later one.
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

  /// Writes as many bytes as the system takes at once. What it doesn't take is not kept: the caller writes the rest.
  ///
  /// - Returns: How many of the bytes have been taken, from the first on; 0 if the system has no room, or if other writes
  ///   wait before this one.
  /// - Throws: As ``write(_:)-(Bytes)`` fails, and `badDescriptor` if the stream is closed.
  ///
  /// The corresponding libuv function is `uv_try_write`.
  public func tryWrite(_ bytes: Bytes) throws(UVError) -> Int { try writes.tryWrite([bytes]) }

  /// Writes as many bytes of several buffers as the system takes at once, in one system call; see ``tryWrite(_:)-(Bytes)``.
  ///
  /// - Parameter buffers: The system looks at the first 1,024 of them.
  /// - Returns: How many bytes have been taken of all buffers together, from the first buffer's first byte on.
  ///
  /// The corresponding libuv function is `uv_try_write`.
  public func tryWrite(_ buffers: [Bytes]) throws(UVError) -> Int { try writes.tryWrite(buffers) }

  /// Bytes that have been written here but not yet taken by the system. It shrinks while a large write drains.
  ///
  /// The corresponding libuv function is `uv_stream_get_write_queue_size`.
  public var writeQueueSize: Int { writes.byteCount }

  /// Whether more bytes are held for writing than ``highWaterMark``.
  ///
  /// A caller that awaits each write doesn't need to check this property: no more than that write is held. Other callers
  /// stop writing while it is true and go on after ``drain()``, so that a peer that doesn't read costs a bounded amount
  /// of memory. A write is held whole until the system has taken all of it, so this can be true while
  /// ``writeQueueSize`` is below the mark already.
  public var isAboveHighWaterMark: Bool { writes.heldByteCount > highWaterMark }

  /// Waits until the system has taken everything that was written.
  ///
  /// - Returns: A request that fails as a write does that is lost on its way, and with `cancelled` if the stream is
  ///   closed before the system has taken everything.
  public func drain() -> Request<Void> { Request(loop) { [self] in drain($0) } }

  /// Waits until the system has taken everything that was written; see ``drain()``.
  @discardableResult
  public func drain(_ done: @escaping Completion<Void>) -> PendingRequest { writes.drain(done) }

  /// Whether bytes may still be written: true until ``shutdown()``, or until a read or a write has failed.
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

  /// Writes without waiting: the number of bytes taken, or an error.
  @usableFromInline
  func writeNow(_ bytes: Bytes) -> Result<Int, UVError> { writes.writeNow(bytes) }

  /// Waits until the rest of a write has been taken.
  @usableFromInline
  nonisolated(nonsending) func writeRest(of bytes: Bytes, after taken: Int) async -> Result<Void, UVError> {
    await writes.writeRest(of: bytes, after: taken)
  }
}

extension ByteStream: Flushable {
  func flush() { writes.flush() }
}
