import CUV

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

func allocateForRead(
  _ handle: UnsafeMutablePointer<uv_handle_t>?, _: Int, _ buffer: UnsafeMutablePointer<uv_buf_t>?
) {
  var rest = 0
  withLoop(of: handle!) { rest = $0.microtasks.state.pointee.readShare.rest(of: handle!) }
  // Without memory, libuv goes on to the next stream. It asks again in the next turn.
  if rest <= 0 { return cuv_buf_set(buffer, nil, 0) }
  var isInPlace = false
  withOwner(of: handle!, as: ByteStream.self) {
    isInPlace = $0.isFiltered ? $0.reserveForFilter(buffer!) : $0.reserveForReader(buffer!)
  }
  if !isInPlace { withLoop(of: handle!) { $0.readBuffer.reserve(buffer!) } }
  buffer!.pointee.len = min(buffer!.pointee.len, rest)
}

func didRead(
  _ handle: UnsafeMutablePointer<uv_stream_t>?, _ count: Int, _ buffer: UnsafePointer<uv_buf_t>?
) {
  // Zero means that nothing has come yet. It isn't the end.
  if count == 0 { return }
  let size = buffer!.pointee.len
  // The stream got no memory because it has had its share.
  if size == 0, count == Int(UV_ENOBUFS.rawValue) { return }
  // After a read that didn't fill its buffer, libuv takes a hang-up for the end without a look, and has no buffer. It
  // may be a reset, as the next read says.
  if size == 0, count == Int(UV_EOF.rawValue), cuv_handle_type(cuv_handle(handle!)) == UV_TCP,
    uv_read_start(handle, allocateForRead, didRead) == 0
  {
    return
  }
  if count == size {
    withLoop(of: cuv_handle(handle!)) {
      $0.microtasks.state.pointee.readShare.noteFullRead(by: handle!, count)
    }
  }
  // The stream retains itself meanwhile, even if a handler stops it: see `finishRead`.
  withOwner(of: handle!, as: ByteStream.self) { $0.finishRead(count) }
}

extension ByteStream {
  /// Has bytes come into the memory of the filter.
  @inline(never)
  fileprivate func reserveForFilter(_ buffer: UnsafeMutablePointer<uv_buf_t>) -> Bool {
    guard let memory = filter?.reserve() else { return false }
    cuv_buf_set(buffer, memory.baseAddress!, memory.count)
    return true
  }

  /// Has bytes come into the memory of the frame that a reader waits for; false if they should come to the
  /// shared memory.
  @inline(__always)
  func reserveForReader(_ buffer: UnsafeMutablePointer<uv_buf_t>) -> Bool {
    readsIfAny { $0.reserve(buffer) } ?? false
  }

  /// Handles the end of the stream, or an error.
  func endReading(_ code: Int) {
    uv_read_stop(stream)
    let isEnd = code == Int(UV_EOF.rawValue)
    // libuv reads on as if there had been no end.
    if isEnd, hasUnreadBytes, uv_read_start(stream, allocateForRead, didRead) == 0 { return }
    let error = isEnd ? nil : failure(code, "read")
    endReading(filter?.transportEnded(error) ?? error)
  }

  /// Ends the stream's source, after what came before.
  func endReading(_ error: UVError?) {
    if readsIfAny({ $0.end(error) }) == nil { source.finish(error) }
    letGo(.source)
  }

  /// Delivers bytes that have been read to where they were to come.
  func deliver(_ count: Int) {
    if readsIfAny({ $0.didRead(count) }) == nil { deliver(loop.readBuffer.take(count)) }
  }

  /// Delivers bytes to the reader that waits, or keeps them for the next.
  func deliver(_ bytes: Bytes) {
    if unmanagedReads == nil, source.hasDemand { source.deliver(bytes) } else { reads.take(bytes) }
  }

  /// Gives back bytes that were read last, for the next read. Nobody waits for bytes, and nothing else
  /// is unread.
  package func unread(_ bytes: Bytes) {
    loop.assertOnLoop()
    assert(unreadByteCount == 0 && !source.hasDemand, "bytes are given back out of their order")
    if !bytes.isEmpty { reads.take(bytes) }
  }

  /// Pauses if nobody needs more by the end of the callback that has read.
  @inline(__always)
  func pauseIfUnwanted() {
    if readsIfAny({ $0.pauseIfUnwanted() }) == nil { source.pauseIfUnwanted() }
  }

  @inline(__always)
  fileprivate func finishRead(_ count: Int) {
    keepAlive(.callback)
    if count > 0 { loop.microtasks.state.pointee.counts.bytesRead &+= count }
    var hasCome = count > 0
    if isFiltered {
      hasCome = finishFilteredRead(count)
    } else {
      loop.callback {
        if count <= 0 {
          endReading(count)
        } else if unmanagedReads != nil {
          deliver(count)
        } else {
          source.deliver(loop.readBuffer.take(count))
        }
      }
      // This comes last, so that a reader that was resumed has had the time to ask again.
      if count > 0 { pauseIfUnwanted() }
    }
    if count > 0 { block.withSidecar { $0.goOnReading(hasCome) } }
    letGo(.callback)
  }
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

extension ByteStream {
  /// Whether the system has bytes for the stream that libuv hasn't read, or its end. It costs a call of the system. One who
  /// is to write what can't be written twice asks it: the peer may have ended a connection since the loop has looked.
  package var hasUnreadInput: Bool {
    guard let descriptor = try? fileDescriptor() else { return true }
    var target = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&target, 1, 0) != 0
  }
}
