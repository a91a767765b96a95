import CUV

/// A connection through a pipe or a Unix domain socket.
///
/// It reads and writes as any ``ByteStream``. A connection that was made with `passesHandles` can also carry
/// open handles to another process:
///
/// ```swift
/// try await pipe.write("yours", passing: connection).value   // here
///
/// for try await bytes in pipe {                               // there
///   while pipe.pendingHandleCount > 0 { serve(try pipe.acceptTCPConnection()) }
/// }
/// ```
///
/// The corresponding libuv type is `uv_pipe_t`.
public final class PipeConnection: ByteStream, PassableHandle {
  /// Whether handles can be passed through the connection.
  public let passesHandles: Bool

  /// Whether this is the writing end of a pipe, and the only one.
  var isOnlyWriter = false
  override var endsByClosing: Bool { isOnlyWriter }

  var pipe: UnsafeMutablePointer<uv_pipe_t> { block.raw.assumingMemoryBound(to: uv_pipe_t.self) }

  init(loop: EventLoop, passesHandles: Bool) throws(UVError) {
    self.passesHandles = passesHandles
    try super.init(loop: loop, size: MemoryLayout<uv_pipe_t>.size, "pipe_init") { raw in
      uv_pipe_init(loop.raw, raw.assumingMemoryBound(to: uv_pipe_t.self), passesHandles ? 1 : 0)
    }
  }

  /// The path that this end is bound to. It is nil for an end that isn't bound to a path, such as the
  /// connecting end.
  ///
  /// - Throws: `badDescriptor` if the connection is closed, and `notSocket` for a pipe that isn't a socket.
  ///
  /// The corresponding libuv function is `uv_pipe_getsockname`.
  public func localPath() throws(UVError) -> FilePath? {
    try checkOpen("pipe_getsockname")
    return try socketPath("pipe_getsockname") { uv_pipe_getsockname(pipe, $0, $1) }
  }

  /// The path that the other end is bound to. It is nil for an end that isn't bound to a path, such as the
  /// connecting end.
  ///
  /// - Throws: The errors of ``localPath()``, and `notConnected` if the peer has gone.
  ///
  /// The corresponding libuv function is `uv_pipe_getpeername`.
  public func peerPath() throws(UVError) -> FilePath? {
    try checkOpen("pipe_getpeername")
    return try socketPath("pipe_getpeername") { uv_pipe_getpeername(pipe, $0, $1) }
  }

  /// Once the peer has gone, an older libuv takes a read that doesn't fill its buffer for the last one. But a
  /// read also ends at each handle that was passed.
  override var hasUnreadBytes: Bool {
    guard let descriptor = try? fileDescriptor() else { return false }
    return cuv_readable_bytes(descriptor) > 0
  }

  // MARK: Passing handles

  /// Writes bytes and passes an open handle with them. The process that reads the bytes can accept the
  /// handle.
  ///
  /// The handle stays open here. You may close it once the request has ended, not before.
  ///
  /// - Parameters:
  ///   - bytes: The bytes to write, at least one.
  ///   - handle: A connection, a listener or a bound UDP socket. It may belong to another loop of this
  ///     thread.
  /// - Returns: A request that ends as `write` of a ``ByteStream`` does. It also fails with `invalidArgument`
  ///   if there are no bytes or if the connection doesn't pass handles, and with `badDescriptor` if `handle`
  ///   is closed.
  ///
  /// The corresponding libuv function is `uv_write2`.
  public func write(_ bytes: Bytes, passing handle: some PassableHandle) -> Request<Void> {
    Request(of: loop) { [self] in write(bytes, passing: handle, $0) }
  }

  /// Writes bytes and passes an open handle with them; see ``write(_:passing:)``.
  ///
  /// The corresponding libuv function is `uv_write2`.
  @discardableResult
  public func write(
    _ bytes: Bytes, passing handle: some PassableHandle, _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    if passesHandles, bytes.count > 0 { return writes.write(bytes, passing: handle, done) }
    loop.complete(done, .write, .invalidArgument)
    return PendingRequest()
  }

  /// How many handles have come with the bytes that were read, and wait to be accepted. They are closed when
  /// the connection is closed.
  ///
  /// The corresponding libuv function is `uv_pipe_pending_count`.
  public var pendingHandleCount: Int { isClosing ? 0 : Int(uv_pipe_pending_count(pipe)) }

  /// The type of the first handle that waits to be accepted, or nil if none waits.
  ///
  /// The corresponding libuv function is `uv_pipe_pending_type`.
  public var pendingHandleType: HandleType? {
    pendingHandleCount == 0 ? nil : HandleType(uv_pipe_pending_type(pipe))
  }

  /// Accepts a TCP connection that was passed.
  ///
  /// - Throws: `wouldBlock` if no handle waits; `invalidArgument` if the first handle that waits is of
  ///   another type, in which case it goes on waiting; `badDescriptor` if this connection is closed;
  ///   `notConnected` once a read has failed.
  ///
  /// The corresponding libuv function is `uv_accept`.
  public func acceptTCPConnection() throws(UVError) -> TCPConnection {
    try accept(.tcp) { () throws(UVError) in try TCPConnection(loop: loop) }
  }

  /// Accepts a listening TCP socket that was passed, and listens on it.
  ///
  /// - Parameter backlog: How many connections may wait in the system to be accepted, 1 or more.
  /// - Throws: The errors of ``acceptTCPConnection()``, and an error of the system if the socket can't
  ///   listen. In that case the socket is closed.
  ///
  /// The corresponding libuv functions are `uv_accept` and `uv_listen`.
  public func acceptTCPListener(backlog: Int = 511) throws(UVError) -> TCPListener {
    let listener = try accept(.tcp) { () throws(UVError) in try TCPListener(loop: loop) }
    try listener.listen(backlog: backlog, "passed", nil)
    return listener
  }

  /// Accepts a pipe or a connected Unix domain socket that was passed.
  ///
  /// - Parameter passesHandles: Whether handles can be passed through the accepted connection.
  /// - Throws: The errors of ``acceptTCPConnection()``.
  ///
  /// The corresponding libuv function is `uv_accept`.
  public func acceptPipeConnection(passesHandles: Bool = false) throws(UVError) -> PipeConnection {
    try accept(.pipe) { () throws(UVError) in try PipeConnection(loop: loop, passesHandles: passesHandles) }
  }

  /// Accepts a listening Unix domain socket that was passed, and listens on it.
  ///
  /// - Parameters:
  ///   - backlog: How many connections may wait in the system to be accepted, 1 or more.
  ///   - passesHandles: Whether handles can be passed through the listener's connections.
  /// - Throws: The errors of ``acceptTCPListener(backlog:)``.
  ///
  /// The corresponding libuv functions are `uv_accept` and `uv_listen`.
  public func acceptPipeListener(backlog: Int = 511, passesHandles: Bool = false) throws(UVError)
    -> PipeListener
  {
    let listener = try accept(.pipe) { () throws(UVError) in
      try PipeListener(loop: loop, passesHandles: passesHandles)
    }
    try listener.listen(backlog: backlog, "passed", nil)
    return listener
  }

  /// Accepts the first handle that waits, whatever its type, as a descriptor.
  ///
  /// - Returns: The descriptor. It belongs to the caller, who must close it.
  /// - Throws: `wouldBlock` if no handle waits; `badDescriptor` if this connection is closed; `notConnected`
  ///   once a read has failed; `tooManyOpenFiles`.
  ///
  /// The corresponding libuv function is `uv_accept`.
  public func acceptFileDescriptor() throws(UVError) -> Int32 {
    // Makes a place first, so that a passed handle isn't lost because there is no descriptor for it.
    let place = cuv_duplicate(try fileDescriptor())
    try check(place, "accept")
    do throws(UVError) {
      // The handle of a pipe accepts any descriptor, and closes the descriptor that it has.
      let holder = try accept(nil) { () throws(UVError) in
        try PipeConnection(loop: loop, passesHandles: false)
      }
      try check(cuv_replace(place, try holder.fileDescriptor()), "accept")
      return place
    } catch {
      _ = CUV.close(place)
      throw error
    }
  }

  func accept<Accepted: Handle>(
    _ type: HandleType?, _ make: () throws(UVError) -> Accepted
  ) throws(UVError) -> Accepted {
    try checkOpen("accept")
    guard let pending = pendingHandleType else { throw UVError(.wouldBlock, operation: "accept") }
    guard type == nil || type == pending else {
      throw UVError(.invalidArgument, operation: "accept", subject: "\(pending), not \(type!)")
    }
    guard isReadable else { throw UVError(.notConnected, operation: "accept") }
    let handle = try make()
    try check(uv_accept(stream, cuv_stream(handle.block.raw)), "accept")
    if !source.isProducing {
      // After an accept libuv polls for more even if nobody reads. Then the loop would never rest again.
      uv_read_start(stream, { _, _, _ in }, { _, _, _ in })
      uv_read_stop(stream)
    }
    // The sender's socket may have been a blocking one.
    if type != nil { try check(cuv_set_nonblocking(handle.fileDescriptor()), "accept") }
    handle.block.own()
    return handle
  }
}

/// A handle that can be passed to another process; see ``PipeConnection/write(_:passing:)-(Bytes,_)``.
public protocol PassableHandle: Handle {}

/// Reads a path through one of libuv's name functions.
func socketPath(
  _ operation: String, _ get: (UnsafeMutablePointer<CChar>, UnsafeMutablePointer<Int>) -> Int32
) throws(UVError) -> FilePath? {
  try withUnsafeTemporaryAllocation(of: CChar.self, capacity: cuv_socket_path_limit() + 2) {
    buffer throws(UVError) in
    var count = buffer.count
    try check(get(buffer.baseAddress!, &count), operation)
    // An abstract name begins with a NUL.
    return count == 0 || buffer[0] == 0 ? nil : FilePath(platformString: buffer.baseAddress!)
  }
}
