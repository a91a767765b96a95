import CUV

/// A connected stream of bytes. You read it as an event source, and each write is a request.
///
/// The stream reads only when somebody asks. Bytes that nobody has asked for stay in the system's buffer,
/// which slows the peer down. A writer awaits each write, or checks ``isAboveHighWaterMark`` and awaits
/// ``drain()``.
///
/// A stream whose peer sends without a pause reads 128 KiB in a turn of the loop, and then the others have
/// theirs.
///
/// The corresponding libuv type is `uv_stream_t`.
open class ByteStream: Handle, EventSource, SourceDriver {
  /// The elements of the source.
  public typealias Element = Bytes
  /// The error that ends the source early.
  public typealias Failure = UVError

  let source: WaiterQueue<Bytes>
  /// The writes that wait, once one has waited or failed, or something else has to be known of all writes;
  /// see ``ByteStream/writes``. Balanced in `deinit`. An unmanaged reference isn't counted at each write.
  @exclusivity(unchecked) var unmanagedWrites: Unmanaged<WriteQueue>?
  /// The number of the microtask that notifies a writer of the last write.
  @exclusivity(unchecked) var lastNotice = -1
  /// The bytes that readers have left, and the frames that they wait for; nil until there is one. Balanced in
  /// `deinit`. An unmanaged reference isn't counted each time that a frame is asked for.
  @exclusivity(unchecked) var unmanagedReads: Unmanaged<FrameReader>?
  /// How many bytes may wait to be written before ``isAboveHighWaterMark`` becomes true; 64 KiB by default.
  public var highWaterMark: Int {
    get { writesIfAny { $0.highWaterMark } ?? WriteQueue.usualHighWaterMark }
    set { writes.highWaterMark = newValue }
  }

  override init(
    loop: EventLoop, size: Int, _ operation: String, _ initialize: (UnsafeMutableRawPointer) -> Int32
  )
    throws(UVError)
  {
    source = WaiterQueue()
    try super.init(loop: loop, size: size, operation, initialize)
    source.driver = self
  }

  /// Goes on with a connection that is there: another stream's, or one that a listener has accepted; see
  /// ``StreamOrigin``.
  ///
  /// - Throws: `notSupported` if the other stream is neither TCP nor a pipe, `busy` if it has bytes to write,
  ///   and the errors of duplicating a descriptor.
  package init(takingOver origin: StreamOrigin) throws(UVError) {
    let loop = origin.loop
    source = WaiterQueue()
    let transport = try origin.transport()
    try super.init(loop: loop, size: transport.size, transport.operation) {
      transport.initialize(loop.raw, $0)
    }
    source.driver = self
    do throws(UVError) { try open(origin, transport) } catch {
      close()
      throw error
    }
  }

  deinit {
    unmanagedReads?.release()
    guard let writes = unmanagedWrites?.takeRetainedValue(), writes.isFiltered else { return }
    if loop.executor.isOnLoop { writes.sayGoodbye() } else { loop.executor.say(writes) }
  }

  /// The stream's sidecar, if it has one.
  var sidecar: StreamTimeouts? {
    block.header.pointee.sidecar.map { unsafeDowncast($0.takeUnretainedValue(), to: StreamTimeouts.self) }
  }

  /// The stream's sidecar, which is made now if there is none. The stream is open.
  func makeSidecar() -> StreamTimeouts {
    if let sidecar { return sidecar }
    let sidecar = StreamTimeouts(block)
    block.keep(sidecar)
    return sidecar
  }

  var stream: UnsafeMutablePointer<uv_stream_t> { cuv_stream(block.raw) }

  // MARK: Reading

  var operation: String { "read" }

  /// Asks for the next bytes, as many as have come, or nil at the end; see ``EventSource/next(_:)``.
  ///
  /// The corresponding libuv function is `uv_read_start`.
  @discardableResult
  public func next(_ done: @escaping Completion<Bytes?>) -> PendingRequest { ask(.callback(done)) }

  /// Asks for the next bytes on behalf of an object; see `_ElementReceiver`.
  @discardableResult
  public func _next(for receiver: _ElementReceiver<Bytes>) -> PendingRequest { ask(.receiver(receiver)) }

  @inline(__always)
  private func ask(_ waiter: WaiterQueue<Bytes>.Waiter) -> PendingRequest {
    if let reads = readsInUse { return reads.ask(ReadRequest(.any), waiter) }
    return source.next(waiter, from: self)
  }

  /// Calls `handler` with bytes as they come, then with nil at the end, or with the error that ended the
  /// stream; see ``EventSource/start(_:)``.
  ///
  /// The corresponding libuv function is `uv_read_start`.
  public func start(_ handler: @escaping Completion<Bytes?>) { start(.callback(handler)) }

  /// Gives bytes to an object as they come; see `_ElementReceiver`.
  public func _start(for receiver: _ElementReceiver<Bytes>) { start(.receiver(receiver)) }

  private func start(_ handler: WaiterQueue<Bytes>.Waiter) {
    // The bytes that earlier readers have left come first.
    source.start(handler, from: self, isAhead: unreadByteCount > 0)
    readsIfAny { $0.goOn() }
  }

  /// Stops reading. The peer's bytes wait in the system until somebody asks for them.
  ///
  /// The corresponding libuv function is `uv_read_stop`.
  public func stop() { source.stop() }

  /// Reads once: a request for the next bytes, or nil at the end.
  ///
  /// The corresponding libuv function is `uv_read_start`.
  public func next() -> Request<Bytes?> { Request(of: loop, operation: "read") { [self] in next($0) } }

  /// Whether the peer may still send. It is true until you have read the end or an error.
  ///
  /// The corresponding libuv function is `uv_is_readable`.
  public var isReadable: Bool { !isClosing && uv_is_readable(stream) != 0 }

  func resume() {
    do throws(UVError) {
      try checkOpen("read")
      try startReading()
      keepAlive(.source)
      block.withSidecar { $0.beginReading() }
    } catch {
      loop.queueMicrotask { [self] in endReading(error) }
    }
  }

  /// Has libuv read, unless the filter rests.
  @inline(__always)
  func startReading() throws(UVError) {
    if block.header.pointee.activity.contains(.filterResting) { return }
    let code = uv_read_start(stream, allocateForRead, didRead)
    // A filter may be reading.
    if code != UV_EALREADY.rawValue { try check(code, "read") }
  }

  func pause() {
    if !isClosing { uv_read_stop(stream) }
    letGo(.source)
  }

  override var isAwaited: Bool { source.hasDemand }

  override var queuedByteCount: Int { writesIfAny { $0.byteCount } ?? 0 }

  /// Whether this stream is a file, which libuv can't poll.
  var isFile: Bool { false }

  /// The bytes of a file that bypassed the queue of writes have left, or will not.
  func didBypassWrites() { if !isClosing { writes.release() } }

  /// Whether libuv would write.
  var isOpenForWriting: Bool { uv_is_writable(stream) != 0 }

  /// Whether closing is the only way to notify the peer of the end of the writing side.
  var endsByClosing: Bool { false }

  /// Has a file take the writes that are in flight. The stream is one.
  func writeInFlight() {}

  /// Whether a code of libuv's, which is negative, is that of the stream's end.
  func isEnd(_ code: Int) -> Bool { code == Int(UV_EOF.rawValue) }

  /// Whether there is more to read although libuv reports the end. A stream whose reads may be short
  /// overrides it.
  var hasUnreadBytes: Bool { false }

  // MARK: Closing

  override func serviceEnds() {
    sidecar?.quiescing.take()?.report(.success(()))
    sidecar?.endIfQuiescing()
    filter?.serviceEnds()
  }

  /// A TCP connection closes by a reset: the system would otherwise keep what the peer doesn't read for
  /// minutes.
  override package func cutOff() {
    if cuv_handle_type(block.handle) == UV_TCP { block.header.pointee.closesByReset = true }
    close()
  }

  /// A stream that a timeout has closed says so to its later users.
  override func closedError(_ operation: String) -> UVError {
    guard let timeout = writesIfAny({ $0.timeout }) ?? nil, !loop.isClosed else {
      return super.closedError(operation)
    }
    return UVError(.timedOut, operation: operation, subject: timeout.subject)
  }

  override func startClosing() {
    readsIfAny { $0.drop() }
    super.startClosing()
  }

  override func startUVClose() {
    if !block.header.pointee.closesByReset || !block.closeReset() {
      writesIfAny { $0.handOver() }
      super.startUVClose()
    }
    if isFiltered { _ = filter?.transportEnded(UVError(.cancelled, operation: "close")) }
  }

  override func didClose() {
    writesIfAny { $0.didClose() }
    let error = UVError(.cancelled, operation: "read")
    if readsIfAny({ $0.close(error) }) == nil { source.finish(error) }
    loop.openHandles.standardStreams.forget(self)
    super.didClose()
  }
}
