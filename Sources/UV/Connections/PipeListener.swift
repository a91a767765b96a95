import CUV

/// A listening Unix domain socket: a source of connections.
///
/// The listener accepts a connection only when somebody asks for one; the others wait in the system's queue.
/// Closing the listener removes its file, unless another process has the socket, such as a successor or a
/// predecessor of ``EventLoop/handover(_:_:within:)``: the last one that closes it removes the file.
///
/// The corresponding libuv type is `uv_pipe_t`.
public final class PipeListener: StreamListener<PipeConnection>, PassableHandle {
  var pipe: UnsafeMutablePointer<uv_pipe_t> { block.raw.assumingMemoryBound(to: uv_pipe_t.self) }

  init(loop: EventLoop, passesHandles: Bool) throws(UVError) {
    try super.init(
      loop: loop, size: MemoryLayout<uv_pipe_t>.size, "pipe_init",
      { uv_pipe_init(loop.raw, $0.assumingMemoryBound(to: uv_pipe_t.self), 0) },
      connection: { loop, descriptor throws(UVError) in
        let connection = try PipeConnection(loop: loop, passesHandles: passesHandles)
        try check(uv_pipe_open(connection.pipe, descriptor), "accept")
        return connection
      })
  }

  func listen(path: some PathConvertible, backlog: Int, replacesStale: Bool) throws(UVError) {
    var place = ListeningPlace(path: path)
    if let passed = PassedSockets.take(at: place.text) { return try listen(on: passed, backlog: backlog) }
    try bind(path, replacesStale)
    let file = SocketFile(path: path.withPathBytes { FilePath(platformString: $0!) })
    place.file = file
    do throws(UVError) { try listen(backlog: backlog, path.subject, place) } catch {
      // The descriptor is still open, and nobody else has seen it.
      _ = file.path.withPlatformString { CUV.unlink($0) }
      throw error
    }
  }

  private func bind(_ path: some PathConvertible, _ replacesStale: Bool) throws(UVError) {
    var descriptor = try path.withSocketPath("bind") { cuv_bind_path($0) }
    if descriptor == UV_EADDRINUSE.rawValue, replacesStale,
      try path.withSocketPath("bind", { cuv_remove_stale_socket($0) }) == 0
    {
      descriptor = try path.withSocketPath("bind") { cuv_bind_path($0) }
    }
    try pipe.open(descriptor, "bind", path.subject)
  }

  /// The path that the listener is bound to; nil for one with an abstract name.
  ///
  /// - Throws: `badDescriptor` if the listener is closed.
  ///
  /// The corresponding libuv function is `uv_pipe_getsockname`.
  public func localPath() throws(UVError) -> FilePath? {
    try checkOpen("pipe_getsockname")
    return try socketPath("pipe_getsockname") { uv_pipe_getsockname(pipe, $0, $1) }
  }

  /// Lets every user connect. It adds permissions to the socket's file, for the file's owner, its group and
  /// everybody.
  ///
  /// - Parameter access: `.read`, `.write` or both. A user needs `.write` to connect.
  /// - Throws: `badDescriptor` if the listener is closed, `invalidArgument` if `access` contains neither, and
  ///   `notPermitted`.
  ///
  /// The corresponding libuv function is `uv_pipe_chmod`.
  public func chmod(_ access: FileAccess) throws(UVError) {
    try checkOpen("pipe_chmod")
    guard access.isSubset(of: [.read, .write]) else {
      throw UVError(.invalidArgument, operation: "pipe_chmod")
    }
    // Not by libuv, which adds permissions before 1.51 and replaces them since.
    let everybody = (access.contains(.read) ? 0o444 : 0) | (access.contains(.write) ? 0o222 : 0)
    guard !access.isEmpty, let path = try localPath() else {
      throw UVError(.invalidArgument, operation: "pipe_chmod")
    }
    try check(
      path.withPlatformString { cuv_add_permissions($0, mode_t(everybody)) }, "pipe_chmod", path.string)
  }
}

extension PathConvertible {
  /// The path as text, for an error.
  package var subject: String {
    withPathBytes { $0.map { String(cString: $0) } ?? "a path with a NUL in it" }
  }

  /// Calls `body` with the path if a Unix domain socket can have it.
  func withSocketPath<T>(_ operation: String, _ body: (UnsafePointer<CChar>) -> T) throws(UVError) -> T {
    let result: Result<T, UVError> = withPathBytes { bytes in
      guard let bytes, bytes.pointee != 0 else {
        return .failure(UVError(.invalidArgument, operation: operation, subject: subject))
      }
      guard strlen(bytes) <= cuv_socket_path_limit() else {
        return .failure(UVError(.nameTooLong, operation: operation, subject: subject))
      }
      return .success(body(bytes))
    }
    return try result.get()
  }
}
