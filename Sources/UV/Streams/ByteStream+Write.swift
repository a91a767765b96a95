import CUV

extension ByteStream {
  /// Writes bytes. They leave at once if the system has room for them, and otherwise as soon as it has, in
  /// order.
  ///
  /// The stream gathers the bytes that you write before the end of the last write has been reported. They
  /// leave together at the end of the loop's turn. If the stream is closed before that, the system is offered
  /// the bytes as the stream closes, and takes as many as it has room for. A write without bytes waits
  /// for those before it, too.
  ///
  /// - Parameter bytes: The bytes to write.
  /// - Returns: A request that ends when the system has taken all of the bytes. It fails with `brokenPipe`
  ///   after ``shutdown()`` or once the peer has gone. It fails with `badDescriptor` if the stream is closed
  ///   already, and with `cancelled` if the stream is closed before the system has taken all bytes. Once a
  ///   write has failed, every later one fails too.
  ///
  /// The corresponding libuv functions are `uv_try_write` and `uv_write`.
  @inlinable
  @inline(__always)
  public final func write(_ bytes: Bytes) -> Request<Void> { Request(writing: bytes, to: self) }

  /// Writes bytes; see ``write(_:)-(Bytes)``.
  ///
  /// - Parameters:
  ///   - bytes: The bytes to write.
  ///   - done: Called once on the loop's thread, never before this function returns.
  /// - Returns: A way to cancel. A write that the system has begun to take goes on.
  ///
  /// The corresponding libuv functions are `uv_try_write` and `uv_write`.
  @discardableResult
  public func write(_ bytes: Bytes, _ done: @escaping Completion<Void>) -> PendingRequest {
    begin(bytes.count, done) {
      offer(bytes)
    } wait: {
      writes.wait(bytes, after: $0, .callback(done))
    }
  }

  /// Writes several buffers one after the other, in one system call where possible.
  ///
  /// - Parameter buffers: The bytes to write.
  /// - Returns: A request that ends and fails as ``write(_:)-(Bytes)`` does.
  ///
  /// The corresponding libuv function is `uv_write`.
  @inlinable
  public final func write(_ buffers: [Bytes]) -> Request<Void> { Request(writing: buffers, to: self) }

  /// Writes several buffers; see ``write(_:)-([Bytes])``.
  ///
  /// The corresponding libuv function is `uv_write`.
  @discardableResult
  public func write(_ buffers: [Bytes], _ done: @escaping Completion<Void>) -> PendingRequest {
    begin(buffers.byteCount, done) {
      offer(buffers)
    } wait: {
      writes.wait(buffers, after: $0, .callback(done))
    }
  }

  /// Writes as many bytes as the system takes at once. The stream doesn't keep the rest: the caller writes it
  /// later.
  ///
  /// An encrypting stream takes one record at most, of 16,384 bytes. It takes the record whole, because a
  /// part of one can't be read. If the system has room for a part of it, or for nothing, the stream keeps the
  /// rest. Then ``writeQueueSize`` is more than 0, and the next tries take nothing until that has left;
  /// ``drain()`` waits for it.
  ///
  /// - Parameter bytes: The bytes to write.
  /// - Returns: How many of the first bytes the system has taken; of an encrypting stream, how many the
  ///   stream has taken. The number is 0 if the system has no room, or if other writes are waiting.
  /// - Throws: The errors with which ``write(_:)-(Bytes)`` fails, and `badDescriptor` if the stream is
  ///   closed.
  ///
  /// The corresponding libuv function is `uv_try_write`.
  public func tryWrite(_ bytes: Bytes) throws(UVError) -> Int { try tryWrite([bytes]) }

  /// Writes as many bytes of several buffers as the system takes at once, in one system call; see
  /// ``tryWrite(_:)-(Bytes)``.
  ///
  /// - Parameter buffers: The bytes to write. The system looks at the first 1,024 buffers only.
  /// - Returns: How many bytes were taken, counted from the first byte of the first buffer.
  ///
  /// The corresponding libuv function is `uv_try_write`.
  public func tryWrite(_ buffers: [Bytes]) throws(UVError) -> Int {
    switch admission {
    case .refused(let code): throw failure(code, "try_write")
    case .waits: return 0
    case .filtered: return try writes.tryWrite(filtered: buffers)
    case .offered:
      let taken = offer(buffers)
      if taken < 0 { throw failure(taken, "try_write") }
      return taken
    }
  }

  /// How many bytes have been written to the stream but not yet taken by the system. The number shrinks while
  /// a large write drains. The protocol's own bytes of an encrypting stream count, too.
  ///
  /// The corresponding libuv function is `uv_stream_get_write_queue_size`.
  public var writeQueueSize: Int { queuedByteCount }

  /// Whether the stream holds more bytes for writing than ``highWaterMark``.
  ///
  /// A caller that awaits each write doesn't need to check this property, because the stream then holds one
  /// write at most. Other callers stop writing while it is true and go on after ``drain()``. Then a peer that
  /// doesn't read costs a bounded amount of memory.
  ///
  /// The stream holds the whole of a write until the system has taken all of it. So this property can be true
  /// while ``writeQueueSize`` is already below the mark.
  public var isAboveHighWaterMark: Bool { writesIfAny { $0.heldByteCount > $0.highWaterMark } ?? false }

  /// Waits until the system has taken everything that was written.
  ///
  /// - Returns: A request that ends when nothing is left to write. It fails with the error of a write that is
  ///   lost on its way, and with `cancelled` if the stream is closed before the system has taken everything.
  public func drain() -> Request<Void> { Request(of: loop) { [self] in drain($0) } }

  /// Waits until the system has taken everything that was written; see ``drain()``.
  @discardableResult
  public func drain(_ done: @escaping Completion<Void>) -> PendingRequest {
    if unmanagedWrites != nil { return writes.drain(done) }
    loop.complete(done, .write)
    return PendingRequest()
  }

  /// Whether you may still write bytes. It is true until ``shutdown()``, until a read or a write fails, or
  /// until the stream is closed.
  ///
  /// The corresponding libuv function is `uv_is_writable`.
  public var isWritable: Bool {
    !isClosing && writesIfAny { $0.takesMore } ?? true && isOpenForWriting
  }

  /// Ends the writing side once everything that was written has left. The peer reads an end. You can still
  /// read what the peer sends.
  ///
  /// - Returns: A request that ends when the system has closed the writing side. It fails with the error of a
  ///   write that was lost on its way, with `notConnected` if the writing side has ended already, and with
  ///   `cancelled` if the stream is closed meanwhile. Cancelling the request ends the waiting only; the
  ///   writing side ends all the same.
  ///
  /// The corresponding libuv function is `uv_shutdown`.
  public func shutdown() -> Request<Void> { Request(of: loop) { [self] in shutdown($0) } }

  /// Ends the writing side; see ``shutdown()``.
  ///
  /// The corresponding libuv function is `uv_shutdown`.
  @discardableResult
  public func shutdown(_ done: @escaping Completion<Void>) -> PendingRequest { writes.shutDown(done) }

  /// Chooses whether each write blocks the thread, and so the loop, until the system has taken the bytes.
  ///
  /// Use it for a terminal or a pipe whose output must be complete when the program ends. A server shouldn't
  /// use it: while a ``sendfile(_:from:count:)`` goes to a socket that blocks, a thread of the pool waits for the
  /// peer, and the timeouts count from its beginning.
  ///
  /// - Parameter isBlocking: True to block, false to return to the usual way.
  /// - Throws: `badDescriptor` if the stream is closed.
  ///
  /// The corresponding libuv function is `uv_stream_set_blocking`.
  public func setBlocking(_ isBlocking: Bool) throws(UVError) {
    try checkOpen("stream_set_blocking")
    // Everything that is written to a file is taken, even if the stream is closed.
    if isFile { return }
    try check(uv_stream_set_blocking(stream, isBlocking ? 1 : 0), "stream_set_blocking")
    // A call of the system that sends a file waits for the peer from now on.
    if isBlocking { writesIfAny { $0.noteFetched() } }
  }
}

extension ByteStream: Flushable {
  package func flush() { writesIfAny { $0.flush() } }
}
