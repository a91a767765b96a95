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
  // MARK: The parts that a stream may have

  /// The frames that readers wait for, and the bytes that they have left. It is made now if there is none.
  var reads: FrameReader {
    if let unmanagedReads { return unmanagedReads.takeUnretainedValue() }
    let reads = FrameReader(self)
    unmanagedReads = .passRetained(reads)
    return reads
  }

  /// Calls `body` with ``reads``, if there has been need of it, without retaining it. Sound: it goes with the
  /// stream.
  @inline(__always)
  @discardableResult
  func readsIfAny<T>(_ body: (FrameReader) -> T) -> T? { unmanagedReads?._withUnsafeGuaranteedRef(body) }

  /// ``reads``, if readers of the next bytes have to ask there.
  var readsInUse: FrameReader? {
    @inline(__always) get { readsIfAny { $0.isInUse } == true ? reads : nil }
  }

  /// Calls `body` with the writes that wait, if there have been any, without retaining them. Sound: they go
  /// with the stream.
  @inline(__always)
  @discardableResult
  func writesIfAny<T>(_ body: (WriteQueue) -> T) -> T? { unmanagedWrites?._withUnsafeGuaranteedRef(body) }

  /// Whether bytes pass a filter.
  var isFiltered: Bool {
    @inline(__always) get { writesIfAny { $0.isFiltered } ?? false }
  }

  // MARK: Bytes that come

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
    let isEnd = isEnd(code)
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

extension HandleBlock {
  /// Calls `body` with the sidecar of a stream, if there is one. Sound: it is of this class, and stays until
  /// the handle closes.
  @inline(__always)
  func withSidecar(_ body: (StreamTimeouts) -> Void) {
    guard let sidecar = header.pointee.sidecar else { return }
    Unmanaged<StreamTimeouts>.fromOpaque(sidecar.toOpaque())._withUnsafeGuaranteedRef(body)
  }
}

/// The way of a byte from libuv to the body of a `for try await` loop.
extension ByteStream {
  /// The iterator over a stream's bytes.
  ///
  /// It is inlined into the loop that uses it. Each call of an asynchronous function costs a change of
  /// executor, which costs more than a read.
  public struct AsyncIterator: AsyncIteratorProtocol {
    @usableFromInline let stream: ByteStream
    /// The task that iterates. It is looked up only once.
    @usableFromInline var task: LoopTaskBase?

    init(stream: ByteStream) { self.stream = stream }

    /// The next bytes, or nil at the end. It returns at once if they are there.
    ///
    /// - Throws: The error that ended the stream, or `cancelled` if the task is cancelled.
    @inlinable
    @inline(__always)
    public nonisolated(nonsending) mutating func next(
      isolation: (any Actor)? = #isolation
    ) async throws(UVError) -> Bytes? {
      if let outcome = stream.immediateRead(by: &task) { return try outcome.get() }
      guard let task else { return try await stream.readFromAnotherTask().get() }
      let outcome = await withContinuation { stream.waitToRead($0, task) }
      task.didWait()
      return try outcome.value.get()
    }
  }

  /// The outcome of the next read if it is known without waiting.
  @usableFromInline
  func immediateRead(by task: inout LoopTaskBase?) -> Result<Bytes?, UVError>? {
    let current = cuv_current_task()
    if task?.isRun(by: current) != true { task = loop.tasks.find(current) }
    if let reads = readsInUse { return reads.outcomeIfReady(ReadRequest(.any), current) }
    return source.outcomeIfReady(for: current)
  }

  @usableFromInline
  func waitToRead(
    _ continuation: UnsafeContinuation<UnsafeTransfer<Result<Bytes?, UVError>>, Never>, _ task: LoopTaskBase
  ) {
    task.willWait(for: wait(continuation))
  }

  @usableFromInline
  nonisolated(nonsending) func readFromAnotherTask() async -> Result<Bytes?, UVError> {
    if let outcome = readsInUse == nil ? source.outcomeIfReady() : nil { return outcome }
    return await suspend(on: loop, task: nil) { wait($0) }
  }

  @inline(__always)
  private func wait(
    _ continuation: UnsafeContinuation<UnsafeTransfer<Result<Bytes?, UVError>>, Never>
  ) -> PendingRequest {
    if let reads = readsInUse { return reads.ask(ReadRequest(.any), .task(continuation)) }
    return source.wait(continuation, from: self)
  }

  /// Iterates over the stream's bytes until the peer ends the stream.
  ///
  /// If your program closes the stream meanwhile, the iteration throws `cancelled`. It doesn't end with nil,
  /// because that would mean that everything has been read.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream: self) }
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
