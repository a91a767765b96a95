import CUV

/// Child processes of a loop, and signals to any process.
public struct Processes {
  let loop: EventLoop

  /// Starts a program. It returns once the program has begun, or throws if it couldn't begin.
  ///
  /// On Linux starting takes the same time however much memory this process has: the child borrows the
  /// memory until its program begins. Each child has a descriptor of this process until its handle closes:
  /// ``Handle/fileDescriptor()`` is its pidfd. If something else in this process waits for any child, it may
  /// take the end of one; see ``ChildProcess/exit()``.
  ///
  /// On other systems, on Linux before 5.4, for another user or group, and while this process ignores `SIGCHLD`,
  /// libuv forks, and handles `SIGCHLD` from then on; an end that something else has taken never arrives. After
  /// any start the thread no longer blocks that signal.
  ///
  /// - Parameters:
  ///   - program: A path, or a name to look up in the child's `PATH`.
  ///   - arguments: The arguments after the program's name.
  ///   - environment: The child's whole environment; nil for the environment of this process.
  ///   - workingDirectory: Where the child starts; nil for the working directory of this process.
  ///   - user: The number of the user that the child runs as. Changing the user needs a privilege.
  ///   - group: The number of the group that the child runs as. Changing the group needs a privilege.
  ///   - isDetached: Whether the child leads a session of its own, so that it can outlive this process.
  ///   - terminal: The size of a terminal, which the child gets as that of its session. The other end is
  ///     ``ChildProcess/terminal``.
  ///   - stdio: The child's descriptors, from 0 on. If 0, 1 or 2 is missing, it is the terminal if the child has one, and
  ///     ``ChildProcess/Stdio/ignore`` otherwise. The child inherits nothing else that this library has opened.
  /// - Returns: The child, which runs.
  /// - Throws: `noSuchFile` (the program or the working directory; the error's subject says which), `permissionDenied`, `notPermitted` (the
  ///   user or group), `badDescriptor` (a descriptor to inherit), `tooManyOpenFiles`, and `notSupported` for a
  ///   terminal where libuv forks. `invalidArgument` if a string has a NUL in it, if the name of a variable is empty or has
  ///   a `=` in it, or if the terminal's size is out of its range. If it throws, nothing is left behind.
  ///
  /// The corresponding libuv function is `uv_spawn`.
  public func spawn(
    _ program: some PathConvertible, _ arguments: [String] = [], environment: [String: String]? = nil,
    workingDirectory: (any PathConvertible)? = nil, user: UInt32? = nil, group: UInt32? = nil,
    isDetached: Bool = false, terminal: TerminalSize? = nil, stdio: [ChildProcess.Stdio] = []
  ) throws(UVError) -> ChildProcess {
    var variables: CStrings?
    if let environment {
      variables = CStrings(variables: environment)
      guard variables != nil else {
        throw UVError(.invalidArgument, operation: "spawn", subject: program.subject)
      }
    }
    return try spawn(
      program, arguments, variables: variables, workingDirectory: workingDirectory, user: user, group: group,
      isDetached: isDetached, terminal: terminal, stdio: stdio)
  }

  /// Starts a program.
  ///
  /// - Parameter variables: The child's whole environment; nil for that of this process.
  func spawn(
    _ program: some PathConvertible, _ arguments: [String], variables: CStrings?,
    workingDirectory: (any PathConvertible)? = nil, user: UInt32? = nil, group: UInt32? = nil,
    isDetached: Bool = false, terminal: TerminalSize? = nil, stdio: [ChildProcess.Stdio]
  ) throws(UVError) -> ChildProcess {
    var stdio = stdio
    if terminal != nil, stdio.count < 3 { stdio += Array(repeating: .terminal, count: 3 - stdio.count) }
    if terminal == nil, stdio.contains(.terminal) {
      throw UVError(.invalidArgument, operation: "spawn", subject: "a terminal without a size")
    }
    let pipes = try stdio.map { (stdio) throws(UVError) -> PipeConnection? in
      switch stdio {
      case .pipe, .channel: try PipeConnection(loop: loop, passesHandles: stdio == .channel)
      case .ignore, .inherit, .descriptor, .terminal: nil
      }
    }
    let terminal = try terminal.map { (size) throws(UVError) in try ChildTerminal(loop: loop, size: size) }
    let call = try SpawnCall(
      program: program, arguments: arguments, variables: variables, workingDirectory: workingDirectory,
      user: user, group: group, isDetached: isDetached, terminal: terminal?.call,
      stdio: Array(zip(stdio, pipes)))
    return try ChildProcess(loop: loop, call, pipes, terminal)
  }

  /// Sends a signal to any process.
  ///
  /// - Parameters:
  ///   - processID: The process's number. 0 means this process's own group, and a negative number means a
  ///     group.
  ///   - signal: The signal to send. The signal with the number 0 only checks that there is such a process.
  /// - Throws: `noSuchProcess`, `notPermitted`, and `invalidArgument` if there is no such signal.
  ///
  /// The corresponding libuv function is `uv_kill`.
  public func kill(_ processID: Int32, _ signal: Signal) throws(UVError) {
    try check(uv_kill(processID, signal.rawValue), "kill", "\(processID)")
  }

  /// Keeps children from inheriting the descriptors that this process has inherited itself, as far as libuv
  /// can find them. Call it at the beginning of a program that another program starts.
  ///
  /// The corresponding libuv function is `uv_disable_stdio_inheritance`.
  public func disableStdioInheritance() { uv_disable_stdio_inheritance() }
}

extension EventLoop {
  /// Child processes of this loop, and signals to any process.
  public var processes: Processes { Processes(loop: self) }

  /// Watches for a signal.
  ///
  /// - Parameter signal: The signal to watch for.
  /// - Throws: `invalidArgument` for a signal that can't be watched, such as `SIGKILL`.
  ///
  /// The corresponding libuv functions are `uv_signal_init` and `uv_signal_start`.
  public func signals(_ signal: Signal) throws(UVError) -> SignalWatcher {
    try SignalWatcher(loop: self, signal: signal)
  }
}
