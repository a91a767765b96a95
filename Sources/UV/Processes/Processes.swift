import CUV

/// Processes, and children on a loop.
public struct Processes {
  let loop: EventLoop

  /// Starts a program, and returns once it has begun or could not be.
  ///
  /// The loop's first child has libuv handle `SIGCHLD`, which the thread no longer blocks. Something else that waits
  /// for the process's children, such as Foundation's `Process`, may then take an end from it that never arrives here.
  ///
  /// - Parameters:
  ///   - program: A path, or a name to look up in the child's `PATH`.
  ///   - arguments: Those after the program's name.
  ///   - environment: The whole of the child's; nil for that of this process.
  ///   - workingDirectory: Where the child starts; nil for where this process is.
  ///   - user: The user that the child runs as, by number; takes the right to change it.
  ///   - group: The group that the child runs as, by number; takes the right to change it.
  ///   - isDetached: Makes the child the leader of a session of its own, which may outlive this process.
  ///   - stdio: What the child's descriptors are, from 0 on; ``ChildProcess/Stdio/ignore`` for what is missing of 0, 1
  ///     and 2. Nothing else that this library has opened is inherited.
  /// - Throws: `noSuchFile` (the program, or the working directory), `permissionDenied`, `notPermitted` (the user or
  ///   group), `badDescriptor` (one that is to be inherited), `tooManyOpenFiles`, `invalidArgument` for a NUL in
  ///   a string or a variable's name that is empty or has a `=` in it. Nothing is left behind then.
  ///
  /// The corresponding libuv function is `uv_spawn`.
  public func spawn(
    _ program: some PathConvertible, _ arguments: [String] = [], environment: [String: String]? = nil,
    workingDirectory: (any PathConvertible)? = nil, user: UInt32? = nil, group: UInt32? = nil,
    isDetached: Bool = false, stdio: [ChildProcess.Stdio] = []
  ) throws(UVError) -> ChildProcess {
    let pipes = try stdio.map { (stdio) throws(UVError) -> PipeConnection? in
      switch stdio {
      case .pipe, .channel: try PipeConnection(loop: loop, passesHandles: stdio == .channel)
      case .ignore, .inherit, .descriptor: nil
      }
    }
    let call = try SpawnCall(
      program: program, arguments: arguments, environment: environment, workingDirectory: workingDirectory,
      user: user, group: group, isDetached: isDetached, stdio: Array(zip(stdio, pipes)))
    return try ChildProcess(loop: loop, call, pipes)
  }

  /// Sends a signal to any process.
  ///
  /// - Parameters:
  ///   - processID: The process's number. As the system has it, 0 is this process's own group, and a negative
  ///     number a group's.
  ///   - signal: What to send; number 0 asks only whether there is such a process.
  /// - Throws: `noSuchProcess`, `notPermitted`, `invalidArgument` for no signal.
  ///
  /// The corresponding libuv function is `uv_kill`.
  public func kill(_ processID: Int32, _ signal: Signal) throws(UVError) {
    try check(uv_kill(processID, signal.rawValue), "kill", "\(processID)")
  }

  /// Has children not inherit what this process inherited itself, as far as it can be found; for the beginning of
  /// a program that is started by another.
  ///
  /// The corresponding libuv function is `uv_disable_stdio_inheritance`.
  public func disableStdioInheritance() { uv_disable_stdio_inheritance() }
}

extension EventLoop {
  /// Processes, and children on this loop.
  public var processes: Processes { Processes(loop: self) }
}
