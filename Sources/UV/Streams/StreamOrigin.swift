import CUV

/// A connection that a stream goes on with.
package enum StreamOrigin {
  /// Another stream's. The stream gets a descriptor of its own for it, and the other is closed; see
  /// ``ByteStream/giveUp()``.
  case stream(ByteStream)
  /// One that a listener has just accepted. The stream gets the descriptor itself.
  case socket(AcceptedSocket)

  var loop: EventLoop {
    switch self {
    case .stream(let plain): plain.loop
    case .socket(let socket): socket.loop
    }
  }

  func transport() throws(UVError) -> Transport {
    switch self {
    case .stream(let plain): try plain.transportToGiveUp()
    case .socket: .tcp
    }
  }

  /// A kind of connection.
  struct Transport: Sendable {
    let size: Int
    let operation: String
    let initialize: @Sendable (UnsafeMutablePointer<uv_loop_t>, UnsafeMutableRawPointer) -> Int32
    let open: @Sendable (UnsafeMutableRawPointer, Int32) -> Int32

    static let tcp = Transport(size: MemoryLayout<uv_tcp_t>.size, operation: "tcp_init") {
      uv_tcp_init($0, $1.assumingMemoryBound(to: uv_tcp_t.self))
    } open: {
      uv_tcp_open($0.assumingMemoryBound(to: uv_tcp_t.self), $1)
    }

    static let pipe = Transport(size: MemoryLayout<uv_pipe_t>.size, operation: "pipe_init") {
      uv_pipe_init($0, $1.assumingMemoryBound(to: uv_pipe_t.self), 0)
    } open: {
      uv_pipe_open($0.assumingMemoryBound(to: uv_pipe_t.self), $1)
    }
  }
}

/// A socket that a listener has accepted. It belongs to the stream that is made of it.
package struct AcceptedSocket {
  let loop: EventLoop
  let descriptor: Int32
}

extension ByteStream {
  func transportToGiveUp() throws(UVError) -> StreamOrigin.Transport {
    try checkOpen("secure")
    if writesIfAny({ !$0.isEmpty }) ?? false { throw UVError(.busy, operation: "secure") }
    if case .refused(let code) = admission { throw failure(code, "secure") }
    return switch cuv_handle_type(block.handle) {
    case UV_TCP: .tcp
    case UV_NAMED_PIPE: .pipe
    default: throw UVError(.notSupported, operation: "secure", subject: "\(type(of: self))")
    }
  }

  func open(_ origin: StreamOrigin, _ transport: StreamOrigin.Transport) throws(UVError) {
    switch origin {
    case .stream(let plain): try open(plain, transport)
    // The listener owns the descriptor until this has succeeded, and notes the connection then.
    case .socket(let socket): try check(transport.open(block.raw, socket.descriptor), "accept")
    }
  }

  /// Opens a duplicate of the other stream's descriptor. So each handle closes a descriptor of its own, and
  /// the other stream needs no state for "given away".
  private func open(_ plain: ByteStream, _ transport: StreamOrigin.Transport) throws(UVError) {
    let old = try plain.fileDescriptor()
    let isBlocking = cuv_is_blocking(old)
    let descriptor = cuv_duplicate(old)
    try check(descriptor, "secure")
    let code = transport.open(block.raw, descriptor)
    if code < 0 { _ = CUV.close(descriptor) }
    try check(code, "secure")
    block.own()
    // libuv has just made the socket, which both share, nonblocking.
    if isBlocking { try setBlocking(true) }
    carryOn(from: plain)
  }

  /// Takes over all that was set on the other stream, and the waiters for the end of its service. The
  /// options of the socket are the descriptor's.
  private func carryOn(from plain: ByteStream) {
    highWaterMark = plain.highWaterMark
    if plain.block.header.pointee.isKeepingChosen { keepsLoopRunning = plain.keepsLoopRunning }
    if plain.block.header.pointee.role == .accepted { take(role: .accepted) }
    guard let sidecar = plain.sidecar else { return }
    // Balanced: one handle's block keeps it in the place of the other's.
    plain.block.header.pointee.sidecar = nil
    block.header.pointee.sidecar = .passUnretained(sidecar)
    sidecar.move(from: plain, to: self)
    plain.reads.carriedOn = sidecar
  }

  /// Gives up the connection, which another stream has taken over.
  ///
  /// - Returns: The bytes that have come and that nobody has read, and the filter that they have passed.
  package func giveUp() -> (unread: Bytes, filter: (any StreamFilter)?) {
    let unread = readsIfAny { $0.takeUnread() } ?? Bytes()
    let filter = filter
    writesIfAny { $0.filter = nil }
    close()
    return (unread, filter)
  }
}
