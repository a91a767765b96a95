import CUV

/// Reading bytes that belong together.
///
/// The stream keeps what it has read beyond a frame for the next read, in whatever way.
extension ByteStream {
  /// Reads a number of bytes that belong together.
  ///
  /// ```swift
  /// while let header = try await connection.read(exactly: 4).value {
  ///   let count = Int(header.bigEndian(UInt32.self))
  ///   guard let body = try await connection.read(exactly: count).value else { break }
  ///   handle(body)
  /// }
  /// ```
  ///
  /// Bytes that have come beyond these stay, for any later read of the stream: for another frame, for
  /// ``next()``, or for a `for try await` loop over the stream. Requests are answered in the order in which
  /// they are made. While nobody asks, the stream doesn't read. If you cancel the request, the bytes that
  /// have come for it stay too.
  ///
  /// A large number of bytes is read into its own memory, and isn't copied. Check a number that a peer has
  /// sent before you ask for as much memory.
  ///
  /// - Parameter count: How many bytes, 0 to 1 GiB.
  /// - Returns: A request for the bytes; nil if the stream has ended before the first of them. If it ends
  ///   after that, the request fails with `endOfFile`, and the error says how many bytes are missing; the
  ///   others stay. The request fails with `invalidArgument` if `count` is out of range, with `sourceStarted`
  ///   if the stream has a handler, and with the errors of ``next()``.
  ///
  /// Complexity: No memory is allocated if the bytes came in one read of the system, else one block.
  ///
  /// The corresponding libuv function is `uv_read_start`.
  @inlinable
  @inline(__always)
  public final func read(exactly count: Int) -> Request<Bytes?> {
    Request(reading: ReadRequest(.exactly, count), from: self)
  }

  /// Reads a number of bytes; see ``read(exactly:)``.
  ///
  /// The corresponding libuv function is `uv_read_start`.
  @discardableResult
  public final func read(exactly count: Int, _ done: @escaping Completion<Bytes?>) -> PendingRequest {
    read(ReadRequest(.exactly, count), done)
  }

  /// Looks at the next bytes, and leaves them for the next read.
  ///
  /// - Parameter count: How many bytes, 0 to 1 GiB.
  /// - Returns: A request that ends and fails as ``read(exactly:)`` does.
  ///
  /// The corresponding libuv function is `uv_read_start`.
  @inlinable
  @inline(__always)
  public final func peek(exactly count: Int) -> Request<Bytes?> {
    Request(reading: ReadRequest(.peek, count), from: self)
  }

  /// Looks at the next bytes; see ``peek(exactly:)``.
  ///
  /// The corresponding libuv function is `uv_read_start`.
  @discardableResult
  public final func peek(exactly count: Int, _ done: @escaping Completion<Bytes?>) -> PendingRequest {
    read(ReadRequest(.peek, count), done)
  }

  /// Reads the bytes before a delimiter, at most `limit` bytes, and takes the delimiter away.
  ///
  /// - Parameters:
  ///   - delimiter: One byte or more, such as `"\r\n"`.
  ///   - limit: The most bytes that there may be before the delimiter, 0 or more.
  /// - Returns: A request for the bytes before the delimiter; nil if the stream has ended before the first of
  ///   them. If it ends after that, the request fails with `endOfFile`. If the delimiter doesn't come within
  ///   the limit, the request fails with `messageTooLong`, and the error names the limit. In both cases the
  ///   bytes stay. The request also fails as ``read(exactly:)`` does.
  ///
  /// Complexity: O(*n*). No memory is allocated if the bytes came in one read of the system.
  ///
  /// The corresponding libuv function is `uv_read_start`.
  @inlinable
  @inline(__always)
  public final func read(until delimiter: Bytes, limit: Int) -> Request<Bytes?> {
    Request(reading: ReadRequest(.until, limit, delimiter), from: self)
  }

  /// Reads the bytes before a delimiter; see ``read(until:limit:)``.
  ///
  /// The corresponding libuv function is `uv_read_start`.
  @discardableResult
  public final func read(
    until delimiter: Bytes, limit: Int, _ done: @escaping Completion<Bytes?>
  ) -> PendingRequest {
    read(ReadRequest(.until, limit, delimiter), done)
  }

  /// Reads a line of at most `limit` bytes, and takes its end away: a line feed, with or without a carriage
  /// return before it.
  ///
  /// ```swift
  /// while let line = try await connection.readLine(limit: 1024).value {
  ///   print(String(decoding: line, as: UTF8.self))
  /// }
  /// ```
  ///
  /// A bare line feed ends a line, too. Set `onlyCRLF` for a protocol in which only CR LF does, such as SMTP
  /// behind a proxy that must agree on where a line ends. A line in which a carriage return or a line feed
  /// stands alone is then refused. ``read(until:limit:)`` leaves lone ones in the line.
  ///
  /// A last line without an end is an error as any frame that is cut short, because it may be the beginning
  /// of another line. If that can't be, catch `endOfFile` and take the last line by ``readToEnd(limit:)``.
  ///
  /// - Parameters:
  ///   - limit: The most bytes that the line may have, 0 or more.
  ///   - onlyCRLF: Whether a line ends with a carriage return and a line feed only.
  /// - Returns: A request that ends and fails as ``read(until:limit:)`` does. With `onlyCRLF` it fails with
  ///   `protocolError` if a carriage return or a line feed stands alone. The bytes stay, so
  ///   ``skip(until:limit:)`` with `"\n"` goes on after the line.
  ///
  /// The corresponding libuv function is `uv_read_start`.
  @inlinable
  @inline(__always)
  public final func readLine(limit: Int, onlyCRLF: Bool = false) -> Request<Bytes?> {
    Request(reading: ReadRequest(onlyCRLF ? .strictLine : .line, limit), from: self)
  }

  /// Reads a line; see ``readLine(limit:onlyCRLF:)``.
  ///
  /// The corresponding libuv function is `uv_read_start`.
  @discardableResult
  public final func readLine(
    limit: Int, onlyCRLF: Bool = false, _ done: @escaping Completion<Bytes?>
  ) -> PendingRequest {
    read(ReadRequest(onlyCRLF ? .strictLine : .line, limit), done)
  }

  /// Reads everything before the end of the stream, at most `limit` bytes.
  ///
  /// - Parameter limit: The most bytes that there may be, 0 or more.
  /// - Returns: A request for the bytes, which are none if the stream has ended. It fails with
  ///   `messageTooLong` if there are more bytes than the limit, which the error names. The bytes stay in that
  ///   case. It also fails as ``read(exactly:)`` does.
  ///
  /// The corresponding libuv function is `uv_read_start`.
  public final func readToEnd(limit: Int) -> Request<Bytes> {
    Request(of: loop) { [self] in readToEnd(limit: limit, $0) }
  }

  /// Reads everything before the end of the stream; see ``readToEnd(limit:)``.
  ///
  /// The corresponding libuv function is `uv_read_start`.
  @discardableResult
  public final func readToEnd(limit: Int, _ done: @escaping Completion<Bytes>) -> PendingRequest {
    read(ReadRequest(.rest, limit)) { done($0.map { $0 ?? Bytes() }) }
  }

  /// Reads into memory of the caller, as many bytes as have come. The system writes straight to that memory.
  ///
  /// - Parameter buffer: Where the bytes go: one byte of room or more. It must stay until the request has
  ///   ended; after a cancellation, until `done` has been called or the task has been resumed.
  /// - Returns: A request for the number of bytes; 0 if the stream has ended. It fails as ``read(exactly:)``
  ///   does.
  ///
  /// The corresponding libuv function is `uv_read_start`.
  public final func read(into buffer: UnsafeMutableRawBufferPointer) -> Request<Int> {
    Request(of: loop) { [self] in read(into: buffer, $0) }
  }

  /// Reads into memory of the caller; see ``read(into:)``.
  ///
  /// The corresponding libuv function is `uv_read_start`.
  @discardableResult
  public final func read(
    into buffer: UnsafeMutableRawBufferPointer, _ done: @escaping Completion<Int>
  ) -> PendingRequest {
    let start = buffer.baseAddress.map { UnsafePointer($0.assumingMemoryBound(to: UInt8.self)) }
    let place = Bytes(storage: nil, start: start ?? Bytes().start, count: buffer.count)
    return read(ReadRequest(.into, buffer.count, place)) { done($0.map { $0?.count ?? 0 }) }
  }

  /// How many bytes the stream has read and no reader has taken. They are what earlier frames have left.
  ///
  /// A server whose peer sends several commands at once can gather its answers as long as this isn't 0, and
  /// write them together:
  ///
  /// ```swift
  /// while let command = try await connection.readLine(limit: 1024).value {
  ///   answers.append(answer(command))
  ///   if connection.unreadByteCount > 0 { continue }
  ///   try await connection.write(answers.takeBytes()).value
  /// }
  /// ```
  ///
  /// The bytes may be only a part of the next frame. The answers then wait until the frame is complete. That
  /// suits peers that send whole commands. A peer that waits for an answer in the middle of its next command
  /// would wait for ever; if there may be such peers, write each answer at once.
  public final var unreadByteCount: Int { readsIfAny { $0.unreadCount } ?? 0 }

  // MARK: For the styles

  @usableFromInline
  func read(_ frame: ReadRequest, _ done: @escaping Completion<Bytes?>) -> PendingRequest {
    reads.ask(frame, .callback(done))
  }

  @usableFromInline
  func read(
    _ frame: ReadRequest, _ continuation: UnsafeContinuation<UnsafeTransfer<Result<Bytes?, UVError>>, Never>
  ) -> PendingRequest {
    reads.ask(frame, .task(continuation))
  }

  /// The outcome for the calling task, if it is known without waiting.
  @usableFromInline
  func outcomeIfReady(_ frame: ReadRequest) -> Result<Bytes?, UVError>? {
    readsIfAny { $0.outcomeIfReady(frame, cuv_current_task()) } ?? nil
  }

  func left(_ number: UInt) { readsIfAny { $0.left(number) } }

  func wish(of number: UInt) -> String? { readsIfAny { $0.wish(of: number) } ?? nil }
}

/// Frames that have come already.
///
/// These functions look only at bytes that the stream has read and no reader has taken. They don't ask the
/// system for more, and wait for nothing.
extension ByteStream {
  /// Takes the bytes before a delimiter, at most `limit` bytes, if they have come, and takes the delimiter away.
  ///
  /// A server whose peers send several requests at once can gather its answers until the next request isn't
  /// complete, and write them together:
  ///
  /// ```swift
  /// while let head = try await connection.read(until: "\r\n\r\n", limit: 8192).value {
  ///   answers.append(answer(head))
  ///   while let next = try connection.tryRead(until: "\r\n\r\n", limit: 8192) { answers.append(answer(next)) }
  ///   try await connection.write(answers.takeBytes()).value
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - delimiter: One byte or more, such as `"\r\n"`.
  ///   - limit: The most bytes that there may be before the delimiter, 0 or more.
  /// - Returns: The bytes before the delimiter. Nil if they haven't come completely, if another reader waits,
  ///   or if the stream has ended; ``read(until:limit:)`` then says which.
  /// - Throws: `messageTooLong` if the delimiter doesn't come within the limit, and `invalidArgument` for an
  ///   empty delimiter or a negative limit. The bytes stay in both cases.
  ///
  /// Complexity: O(*n*). No memory is allocated if the bytes came in one read of the system.
  public final func tryRead(until delimiter: Bytes, limit: Int) throws(UVError) -> Bytes? {
    try tryRead(ReadRequest(.until, limit, delimiter))
  }

  /// Takes a line of at most `limit` bytes if it has come, and takes its end away; see ``readLine(limit:onlyCRLF:)`` and
  /// ``tryRead(until:limit:)``.
  ///
  /// - Parameter limit: The most bytes that the line may have, 0 or more.
  /// - Returns: The line; nil as with ``tryRead(until:limit:)``.
  /// - Throws: `messageTooLong` and `invalidArgument`, as ``tryRead(until:limit:)`` does.
  public final func tryReadLine(limit: Int) throws(UVError) -> Bytes? {
    try tryRead(ReadRequest(.line, limit))
  }

  /// Takes a number of bytes if they have come; see ``read(exactly:)`` and ``tryRead(until:limit:)``.
  ///
  /// - Parameter count: How many bytes, 0 to 1 GiB.
  /// - Returns: The bytes; nil as with ``tryRead(until:limit:)``.
  /// - Throws: `invalidArgument` if `count` is out of range.
  public final func tryRead(exactly count: Int) throws(UVError) -> Bytes? {
    try tryRead(ReadRequest(.exactly, count))
  }

  private func tryRead(_ frame: ReadRequest) throws(UVError) -> Bytes? {
    if !frame.isValid { throw frame.invalid }
    return try (readsIfAny { $0.outcomeIfHere(frame) } ?? nil)?.get() ?? nil
  }
}
