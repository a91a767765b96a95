import CUV

extension StreamListener {
  /// Listens on a socket that another process has passed, and that listens already.
  func listen(on passed: PassedSocket, backlog: Int) throws(UVError) {
    let descriptor = passed.take()
    let code =
      ListeningPlace.isLocal(passed.place)
      ? uv_pipe_open(block.raw.assumingMemoryBound(to: uv_pipe_t.self), descriptor)
      : uv_tcp_open(block.raw.assumingMemoryBound(to: uv_tcp_t.self), descriptor)
    // If libuv hasn't taken over the descriptor, nothing else will close it.
    if code < 0, descriptor >= 0 { _ = CUV.close(descriptor) }
    try check(code, "listen", passed.place)
    try listen(backlog: backlog, passed.place, ListeningPlace(passed))
  }
}

extension TCP {
  /// The listener of a socket that systemd has passed to this process, and given a name.
  ///
  /// ```swift
  /// let listener = try loop.tcp.passedListener("http") ?? loop.tcp.listen(port: 8080)
  /// ```
  ///
  /// A listener for an address, such as that of `listen(port: 8080)`, takes a socket that has been passed for
  /// the same address by itself, from systemd or from a predecessor; see ``EventLoop/handover(_:_:within:)``.
  /// A listener for a port alone takes one for all addresses (`[::]`), which is what systemd makes for
  /// `ListenStream=8080`, or else one for all addresses of a family. A listener for all addresses of IPv4
  /// (`0.0.0.0`) also takes one for all addresses. This function is for those whose address only systemd's
  /// configuration knows.
  ///
  /// - Parameters:
  ///   - name: The socket's `FileDescriptorName`. Without one, it has the name of its `.socket` unit.
  ///   - backlog: How many connections may wait in the system to be accepted, 1 or more.
  /// - Returns: The listener; nil if no TCP socket with this name was passed, or all of them have been taken.
  /// - Throws: `outOfMemory`; `invalidArgument` for a backlog below 1.
  ///
  /// The corresponding function of systemd's is `sd_listen_fds_with_names`.
  public func passedListener(_ name: String, backlog: Int = 511) throws(UVError) -> TCPListener? {
    guard let passed = PassedSockets.take(named: name, isLocal: false) else { return nil }
    let listener = try TCPListener(loop: loop)
    try listener.listen(on: passed, backlog: backlog)
    return listener
  }
}

extension Pipes {
  /// The listener of a Unix domain socket that systemd has passed to this process, and given a name. It is
  /// for a socket whose path only systemd's configuration knows, and for one that has an abstract name in
  /// place of a path; see ``TCP/passedListener(_:backlog:)``.
  ///
  /// Closing the listener doesn't remove the file, which is systemd's.
  ///
  /// - Parameters:
  ///   - name: The socket's `FileDescriptorName`. Without one, it has the name of its `.socket` unit.
  ///   - backlog: How many connections may wait in the system to be accepted, 1 or more.
  ///   - passesHandles: Whether handles can be passed through the connections; see
  ///     ``listen(path:backlog:passesHandles:replacesStale:)``.
  /// - Returns: The listener; nil if no such socket with this name was passed, or all of them have been taken.
  /// - Throws: `outOfMemory`; `invalidArgument` for a backlog below 1.
  ///
  /// The corresponding function of systemd's is `sd_listen_fds_with_names`.
  public func passedListener(
    _ name: String, backlog: Int = 511, passesHandles: Bool = false
  ) throws(UVError) -> PipeListener? {
    guard let passed = PassedSockets.take(named: name, isLocal: true) else { return nil }
    let listener = try PipeListener(loop: loop, passesHandles: passesHandles)
    try listener.listen(on: passed, backlog: backlog)
    return listener
  }
}

extension StreamListener {
  /// Gives readers the connections that have waited when the service ended, and ends the listener with
  /// the last one. Connections that a busy reader hasn't asked for yet are accepted and kept.
  func acceptRest() {
    if isClosing { return }
    var hasDelivered = false
    while source.hasDemand, let connection = left.popFirst() ?? acceptOneOfRest() {
      hasDelivered = true
      source.deliver(connection)
    }
    // A reader that has got a connection asks for the next one once it has run.
    if hasDelivered { return loop.queueMicrotask { [self] in acceptRest() } }
    while !source.hasDemand, let connection = acceptOneOfRest() { left.append(connection) }
    if left.isEmpty { return endListening() }
    keepAlive(.shutdown)
    source.pauseIfUnwanted()
    loop.listenerWaits(self)
  }

  /// Accepts one of those that have waited when the service ended; nil if there is none.
  private func acceptOneOfRest() -> Connection? {
    while restCount > 0, let listening = try? fileDescriptor() {
      restCount -= 1
      let descriptor = cuv_accept(listening)
      // None waits any more, or the system has no room for it.
      if descriptor == UV_EAGAIN.rawValue || AcceptBackoff.isNeeded(descriptor) { restCount = 0 }
      if descriptor >= 0, let connection = accept(descriptor) { return connection }
    }
    return nil
  }
}
