import CUV

/// Unix domain sockets with abstract names: names without files, which Linux has.
extension Pipes {
  /// Listens at an abstract name. Such a name has no file: it is free again as soon as the last process that has the
  /// socket has closed it, however that ends. It has no permissions either: every process of the network namespace may
  /// connect. ``PipeConnection/peerCredentials()`` says whose it is.
  ///
  /// - Parameters:
  ///   - abstractName: 1…107 bytes without a NUL, which other programs often write with an `@` before it.
  ///   - backlog: How many connections may wait in the system to be accepted, 1 or more.
  ///   - passesHandles: Whether handles can be passed through the connections; see
  ///     ``listen(path:backlog:passesHandles:replacesStale:)``.
  /// - Throws: `addressInUse`, `nameTooLong`, `invalidArgument` for a name that is empty or has a NUL in it, and
  ///   `notSupported` on other systems than Linux.
  ///
  /// The corresponding libuv functions are `uv_pipe_open` and `uv_listen`.
  public func listen(
    abstractName: String, backlog: Int = 511, passesHandles: Bool = false
  ) throws(UVError) -> PipeListener {
    let listener = try PipeListener(loop: loop, passesHandles: passesHandles)
    try listener.listen(abstractName: abstractName, backlog: backlog)
    return listener
  }

  /// Connects to an abstract name; see ``listen(abstractName:backlog:passesHandles:)``.
  ///
  /// - Parameters:
  ///   - abstractName: 1…107 bytes without a NUL.
  ///   - passesHandles: Whether handles can be passed through the connection.
  /// - Returns: A request for the connection. It fails with `connectionRefused` if nobody listens, `wouldBlock` if too
  ///   many wait there to be accepted, and for the reasons of the listener.
  ///
  /// The corresponding libuv function is `uv_pipe_open`.
  public func connect(abstractName: String, passesHandles: Bool = false) -> Request<PipeConnection> {
    Request(of: loop) { connect(abstractName: abstractName, passesHandles: passesHandles, $0) }
  }

  /// Connects to an abstract name; see ``connect(abstractName:passesHandles:)``. `done` is called once on the loop's
  /// thread, never before this function returns.
  ///
  /// - Returns: A request without a way to cancel it: it is over in this turn of the loop.
  ///
  /// The corresponding libuv function is `uv_pipe_open`.
  @discardableResult
  public func connect(
    abstractName: String, passesHandles: Bool = false, _ done: @escaping Completion<PipeConnection>
  ) -> PendingRequest {
    let result = Result { () throws(UVError) in
      let connection = try PipeConnection(loop: loop, passesHandles: passesHandles)
      try connection.pipe.open(named: abstractName, "connect", cuv_connect_abstract_name)
      connection.block.own()
      return connection
    }
    loop.answer { done(result) }
    return PendingRequest()
  }
}

extension PipeListener {
  fileprivate func listen(abstractName: String, backlog: Int) throws(UVError) {
    let place = ListeningPlace(text: "unix-abstract:@\(abstractName)")
    if let passed = PassedSockets.take(at: place.text) { return try listen(on: passed, backlog: backlog) }
    try pipe.open(named: abstractName, "bind", cuv_bind_abstract_name)
    try listen(backlog: backlog, "@\(abstractName)", place)
  }
}

extension UnsafeMutablePointer<uv_pipe_t> {
  /// Opens a socket that C makes for an abstract name.
  fileprivate func open(
    named name: String, _ operation: String, _ make: (UnsafePointer<CChar>) -> Int32
  ) throws(UVError) {
    guard !name.isEmpty, !name.utf8.contains(0) else {
      throw UVError(.invalidArgument, operation: operation, subject: "@\(name)")
    }
    try open(name.withCString(make), operation, "@\(name)")
  }

  /// Opens a socket that C has made, or throws the error that C has returned in its place.
  func open(_ descriptor: Int32, _ operation: String, _ subject: String) throws(UVError) {
    try check(descriptor, operation, subject)
    let code = uv_pipe_open(self, descriptor)
    // If libuv hasn't taken over the descriptor, nothing else will close it.
    if code < 0 { _ = CUV.close(descriptor) }
    try check(code, operation, subject)
  }
}
