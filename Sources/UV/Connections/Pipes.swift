import CUV

/// Pipes and Unix domain sockets on a loop.
public struct Pipes {
  let loop: EventLoop

  /// Listens at a path. It makes a file there, which is removed when the listener is closed, unless another
  /// process has the socket or has put another one in its place.
  ///
  /// - Parameters:
  ///   - path: At most 107 bytes (103 on macOS), because the system has no room for more.
  ///   - backlog: How many connections may wait in the system to be accepted, 1 or more.
  ///   - passesHandles: Whether handles can be passed through the connections. If so, a peer can leave any
  ///     number of descriptors with this process, so use it only for peers that you trust.
  ///   - replacesStale: Whether to remove the file of a socket that nobody listens on any more, such as that
  ///     of a program that has crashed. A file that isn't a socket, and a socket that some process has, stay;
  ///     a live listener doesn't notice. Two programs that start at the same moment may both take the file for
  ///     stale, and the later one then may remove the new file of the earlier one. If that can happen, have
  ///     both lock a file before.
  /// - Throws: `addressInUse` if there is a file at the path, and it isn't stale or must not be replaced;
  ///   `nameTooLong`;
  ///   `permissionDenied` if the directory doesn't exist or may not be written to; `invalidArgument` for a
  ///   path that is empty or has a NUL in it.
  ///
  /// The corresponding libuv functions are `uv_pipe_bind` and `uv_listen`.
  public func listen(
    path: some PathConvertible, backlog: Int = 511, passesHandles: Bool = false,
    replacesStale: Bool = false
  ) throws(UVError) -> PipeListener {
    let listener = try PipeListener(loop: loop, passesHandles: passesHandles)
    try listener.listen(path: path, backlog: backlog, replacesStale: replacesStale)
    return listener
  }

  /// Connects to a listener's path.
  ///
  /// - Parameters:
  ///   - path: At most 107 bytes (103 on macOS).
  ///   - passesHandles: Whether handles can be passed through the connection.
  /// - Returns: A request for the connection. It fails with `noSuchFile`, `connectionRefused` (the file is
  ///   there, but nobody listens any more), `permissionDenied`, `nameTooLong`, … Cancelling the request
  ///   closes the socket.
  ///
  /// The corresponding libuv function is `uv_pipe_connect`.
  public func connect(path: some PathConvertible, passesHandles: Bool = false) -> Request<PipeConnection> {
    Request(of: loop) { connect(path: path, passesHandles: passesHandles, $0) }
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
        // This comes before libuv sees the path, because libuv would cut a long one short.
        try path.withSocketPath("connect") { _ in }
        return try PipeConnection(loop: loop, passesHandles: passesHandles)
      }
    ) { request, connection, done in
      path.withPathBytes { uv_pipe_connect(request, connection.pipe, $0, done) }
      return 0
    }
  }

  /// Takes over a descriptor of a pipe or a connected Unix domain socket. The descriptor is made
  /// non-blocking, and is closed with the connection. If this function throws, the descriptor still belongs
  /// to the caller.
  ///
  /// - Parameters:
  ///   - fileDescriptor: The descriptor to take over.
  ///   - passesHandles: Whether handles can be passed through the connection.
  /// - Throws: `badDescriptor` if the descriptor isn't open, `invalidArgument` if it is something else, and
  ///   `fileExists` if a handle of the loop has it already.
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

  /// Makes a pipe: what you write to one end is read from the other.
  ///
  /// A pipe isn't a socket, so you can't shut down its writing end. Close that end instead; the reading end
  /// then reads the end of the stream.
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

  /// Makes two Unix domain sockets that are connected to each other.
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
      // If libuv hasn't taken over the descriptor, nothing else will close it.
      if opened.0 < 0 { _ = CUV.close(ends[0]) }
      if opened.1 < 0 { _ = CUV.close(ends[1]) }
      try check(min(opened.0, opened.1), "pipe_open")
    }
    first.block.own()
    second.block.own()
    return (first, second)
  }
}

/// The process at the other end of a Unix domain socket, and its user. The system says it, so the peer can't lie.
///
/// The corresponding option of Linux is `SO_PEERCRED`; Apple's systems and FreeBSD have `getpeereid`.
public struct PeerCredentials: Hashable, Sendable {
  /// The process that connected, or that began to listen; nil if the system doesn't say, as for a process that
  /// this one can't see from its container. It may have ended since, and its number may be another's.
  public var processID: Int32?
  /// The user for whom the process ran then.
  public var userID: UInt32
  /// The process's group then.
  public var groupID: UInt32

  /// Creates a value.
  package init(processID: Int32?, userID: UInt32, groupID: UInt32) {
    self.processID = processID
    self.userID = userID
    self.groupID = groupID
  }
}

extension PipeConnection {
  /// The peer: the process that connected or began to listen, its user and its group, as they
  /// were then.
  ///
  /// - Throws: `badDescriptor` if the connection is closed, `notSocket` for a pipe that isn't a socket,
  ///   `notConnected`, and `notSupported` on other systems than Linux, Apple's and FreeBSD.
  public func peerCredentials() throws(UVError) -> PeerCredentials {
    var peer = cuv_peer_credentials()
    try check(cuv_peer_credentials(fileDescriptor(), &peer), "peer_credentials")
    return PeerCredentials(
      processID: peer.process > 0 ? peer.process : nil, userID: peer.user, groupID: peer.group)
  }
}
