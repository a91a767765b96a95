import CUV

/// Pipes and Unix domain sockets on a loop.
public struct Pipes {
  let loop: EventLoop

  /// Listens at a path. The file that it makes is removed when the listener is closed.
  ///
  /// - Parameters:
  ///   - path: At most 107 bytes (103 on macOS), as the system has no room for more.
  ///   - backlog: How many connections may wait in the system to be accepted, 1 or more.
  ///   - passesHandles: Whether handles can be passed through the connections. Whoever connects may then leave any
  ///     number of descriptors with this process, so it is for peers that are trusted.
  /// - Throws: `addressInUse` if there is a file at the path, be it of a listener that has gone; `nameTooLong`;
  ///   `permissionDenied` if the directory may not be written to or does not exist; `invalidArgument` for an empty
  ///   path or one with a NUL in it.
  ///
  /// The corresponding libuv functions are `uv_pipe_bind` and `uv_listen`.
  public func listen(
    path: some PathConvertible, backlog: Int = 511, passesHandles: Bool = false
  ) throws(UVError) -> PipeListener {
    try PipeListener(loop: loop, path: path, backlog: backlog, passesHandles: passesHandles)
  }

  /// Connects to a listener's path.
  ///
  /// - Parameters:
  ///   - path: At most 107 bytes (103 on macOS).
  ///   - passesHandles: Whether handles can be passed through the connection.
  /// - Returns: A request for the connection. It fails with `noSuchFile`, `connectionRefused` (nobody listens there any
  ///   more), `permissionDenied`, `nameTooLong`, …; cancelling it closes the socket.
  ///
  /// The corresponding libuv function is `uv_pipe_connect`.
  public func connect(path: some PathConvertible, passesHandles: Bool = false) -> Request<PipeConnection> {
    Request(loop) { connect(path: path, passesHandles: passesHandles, $0) }
  }

  /// Connects to a listener's path; see ``connect(path:passesHandles:)``.
  ///
  /// The corresponding libuv function is `uv_pipe_connect`.
  @discardableResult
  public func connect(
    path: some PathConvertible, passesHandles: Bool = false, _ done: @escaping Completion<PipeConnection>
  ) -> PendingRequest {
    ConnectRequest.start(
      loop, path.subject, done,
      connection: { () throws(UVError) in
        // Before libuv sees the path, which it would cut short.
        try path.withSocketPath("connect") { _ in }
        return try PipeConnection(loop: loop, passesHandles: passesHandles)
      }
    ) { request, connection, done in
      path.withPathBytes { uv_pipe_connect(request, connection.pipe, $0, done) }
      return 0
    }
  }

  /// Takes over a descriptor of a pipe or a connected Unix domain socket. It is made non-blocking, and closed with
  /// the connection.
  ///
  /// - Throws: `badDescriptor` if it is not open, `invalidArgument` if it is something else, `fileExists` if a
  ///   handle of the loop has it already. It remains the caller's then.
  ///
  /// The corresponding libuv function is `uv_pipe_open`.
  public func open(fileDescriptor: Int32, passesHandles: Bool = false) throws(UVError) -> PipeConnection {
    try HandleType.pipe.check(fileDescriptor, "pipe_open")
    try loop.checkUnowned(fileDescriptor, "pipe_open")
    let connection = try PipeConnection(loop: loop, passesHandles: passesHandles)
    try check(uv_pipe_open(connection.pipe, fileDescriptor), "pipe_open", "descriptor \(fileDescriptor)")
    connection.block.own()
    return connection
  }

  /// Makes a pipe: what is written to one end is read from the other.
  ///
  /// A pipe is no socket, so that its writing end is not shut down; closing it is the end that is read.
  ///
  /// - Throws: `tooManyOpenFiles`.
  ///
  /// The corresponding libuv function is `uv_pipe`.
  public func pair() throws(UVError) -> (reading: PipeConnection, writing: PipeConnection) {
    let (reading, writing) = try openBoth("pipe", passesHandles: false) {
      uv_pipe($0, Int32(UV_NONBLOCK_PIPE.rawValue), Int32(UV_NONBLOCK_PIPE.rawValue))
    }
    return (reading, writing)
  }

  /// Makes two Unix domain sockets that are connected with each other.
  ///
  /// - Parameter passesHandles: Whether handles can be passed through them.
  /// - Throws: `tooManyOpenFiles`.
  ///
  /// The corresponding libuv function is `uv_socketpair`.
  public func socketPair(passesHandles: Bool = false) throws(UVError) -> (PipeConnection, PipeConnection) {
    try openBoth("socketpair", passesHandles: passesHandles) {
      uv_socketpair(
        cuv_sock_stream(), 0, $0, Int32(UV_NONBLOCK_PIPE.rawValue), Int32(UV_NONBLOCK_PIPE.rawValue))
    }
  }

  private func openBoth(
    _ operation: String, passesHandles: Bool, _ make: (UnsafeMutablePointer<Int32>) -> Int32
  ) throws(UVError) -> (PipeConnection, PipeConnection) {
    let first = try PipeConnection(loop: loop, passesHandles: passesHandles)
    let second = try PipeConnection(loop: loop, passesHandles: passesHandles)
    try withUnsafeTemporaryAllocation(of: Int32.self, capacity: 2) { ends throws(UVError) in
      try check(make(ends.baseAddress!), operation)
      let opened = (uv_pipe_open(first.pipe, ends[0]), uv_pipe_open(second.pipe, ends[1]))
      // What libuv has not taken over is nobody's.
      if opened.0 < 0 { _ = CUV.close(ends[0]) }
      if opened.1 < 0 { _ = CUV.close(ends[1]) }
      try check(min(opened.0, opened.1), "pipe_open")
    }
    first.block.own()
    second.block.own()
    return (first, second)
  }
}

extension EventLoop {
  /// Pipes and Unix domain sockets on this loop.
  public var pipes: Pipes { Pipes(loop: self) }
}
