import CUV

/// A child process.
///
/// ```swift
/// let child = try loop.processes.spawn("sort", stdio: [.pipe, .pipe, .inherit])
/// try await child.standardInput!.write("b\na\n").value
/// try await child.standardInput!.shutdown().value
/// for try await bytes in child.standardOutput! { print(bytes) }
/// let status = try await child.exit().value
/// ```
///
/// The child keeps the loop running until it has ended, unless you set ``Handle/keepsLoopRunning`` to false.
/// Dropping the last reference does nothing. If you close the handle before the child ends, the loop no
/// longer knows the child: it runs on, and remains a zombie after its end.
///
/// The corresponding libuv type is `uv_process_t`.
public final class ChildProcess: Handle, Cancelling {
  /// One of the descriptors that a child starts with.
  ///
  /// The corresponding libuv type is `uv_stdio_container_t`.
  public enum Stdio: Hashable, Sendable {
    /// The null device, if the descriptor is 0, 1 or 2. Other descriptors aren't open in the child.
    case ignore
    /// The descriptor of this process that has the same number.
    case inherit
    /// A descriptor of this process, which still belongs to the caller. It is made blocking if the child has
    /// it as 0, 1 or 2.
    case descriptor(Int32)
    /// One end of a pipe, which the child reads if the descriptor is 0, and writes if it is 1 or 2. This
    /// process has the other end, in ``ChildProcess/stdio``. From descriptor 3 on it is one end of a socket,
    /// as both processes may write there.
    case pipe
    /// One end of a socket, through which both processes read and write and pass handles. A child can't open
    /// it once more by a name such as `/dev/stdin`.
    case channel
    /// The terminal that the child has; see ``ChildProcess/terminal``.
    case terminal
  }

  /// The way in which a child has ended.
  public struct ExitStatus: Hashable, Sendable {
    /// The exit code; 0 if a signal ended the process.
    public var code: Int
    /// The signal that ended the process, or nil if it ended by itself.
    public var signal: Signal?

    /// Creates a status.
    package init(code: Int, signal: Signal? = nil) {
      self.code = code
      self.signal = signal
    }

    /// Whether the process ended by itself with the exit code 0.
    public var isSuccess: Bool { code == 0 && signal == nil }
  }

  /// The system's number of the process.
  ///
  /// The corresponding libuv function is `uv_process_get_pid`.
  public private(set) var processID: Int32 = 0

  /// This process's ends of the child's descriptors, in the order of the descriptors. An element is nil if
  /// the descriptor isn't a pipe.
  public let stdio: [PipeConnection?]

  /// This process's end of the child's terminal, if it was started with one.
  public let terminal: ChildTerminal?

  /// How the child has ended; nil while it runs, and if nobody knows.
  public var exitStatus: ExitStatus? { try? end?.get() }
  private var end: Result<ExitStatus, UVError>?
  /// The processes to kill when nobody waits for the child any more; none if others may know of it.
  enum Killing {
    case none, alone, group
  }
  var killing = Killing.none
  /// Whether the process has gone, also if it isn't known how. Its number may be another's then.
  var hasEnded: Bool { end != nil }

  private var waiters: [(generation: UInt, done: Completion<ExitStatus>)] = []
  private var generation: UInt = 0
  /// How long it was waited last for a tracer of the child.
  private var tracerWait = Duration.zero

  /// The other end of the child's standard input, if it is a pipe. Its `shutdown()` closes it, since that is
  /// how a pipe ends.
  public var standardInput: PipeConnection? { stdio.isEmpty ? nil : stdio[0] }
  /// The other end of the child's standard output, if it is a pipe.
  public var standardOutput: PipeConnection? { stdio.count > 1 ? stdio[1] : nil }
  /// The other end of the child's standard error, if it is a pipe.
  public var standardError: PipeConnection? { stdio.count > 2 ? stdio[2] : nil }

  init(
    loop: EventLoop, _ call: SpawnCall, _ pipes: [PipeConnection?], _ terminal: ChildTerminal?
  ) throws(UVError) {
    stdio = pipes
    self.terminal = terminal
    var code: Int32 = 0
    do throws(UVError) {
      try super.init(loop: loop, size: MemoryLayout<cuv_child>.size, "spawn") { raw in
        let child = raw.assumingMemoryBound(to: cuv_child.self)
        code = call.run(loop, child, didExit)
        // A handle that libuv knows is closed as any other, even if there is no process.
        return child.pointee.is_handle ? 0 : code
      }
    } catch {
      throw call.error(error.code)
    }
    take(role: .child)
    block.ownPolledDescriptor(child.pointee.descriptor)
    if code < 0 { throw call.error(UVError.Code(rawValue: code)) }
    processID = child.pointee.id
    for pipe in pipes { pipe?.block.own() }
    terminal?.block.own()
    if let input = standardInput, !input.passesHandles { input.isOnlyWriter = true }
    keepAlive(.process)
  }

  private var child: UnsafeMutablePointer<cuv_child> { block.raw.assumingMemoryBound(to: cuv_child.self) }

  // MARK: The end

  /// Waits until the child has ended. Its pipes may still hold bytes that it wrote, and a process that it has
  /// started may have them open. To have all that came through them, read them to their ends first:
  ///
  /// ```swift
  /// let output = try await child.standardOutput!.readToEnd(limit: 1 << 20).value
  /// let status = try await child.exit().value
  /// ```
  ///
  /// If the standard error is a pipe too, read both at once, each in a task of
  /// ``EventLoop/withTasks(file:line:_:)``: a child waits when a pipe that nobody reads is full.
  ///
  /// - Returns: A request for the way in which it ended. It fails with `cancelled` if the handle is closed
  ///   before, and on Linux with `noSuchProcess` if something else in this process has waited for the child,
  ///   and knows alone how it ended.
  ///
  /// The corresponding libuv function is `uv_spawn`.
  public func exit() -> Request<ExitStatus> { Request(of: loop) { [self] in exit($0) } }

  /// Waits until the child has ended; see ``exit()``.
  ///
  /// The corresponding libuv function is `uv_spawn`.
  @discardableResult
  public func exit(_ done: @escaping Completion<ExitStatus>) -> PendingRequest {
    if let end {
      loop.answer { done(end) }
    } else if isClosing {
      loop.answer { done(.failure(Self.cancelled)) }
    } else {
      generation &+= 1
      waiters.append((generation, done))
      return PendingRequest(self, generation: generation)
    }
    return PendingRequest()
  }

  private static let cancelled = UVError(.cancelled, operation: "exit")

  package func cancel(slot: UInt, generation: UInt) {
    guard let index = waiters.firstIndex(where: { $0.generation == generation }) else { return }
    let done = waiters.remove(at: index).done
    loop.queueMicrotask { done(.failure(Self.cancelled)) }
  }

  package func awaited(slot: UInt, generation: UInt) -> Awaited? {
    guard waiters.contains(where: { $0.generation == generation }) else { return nil }
    return Awaited(operation: "exit", subject: "process \(processID)")
  }

  /// The child has ended, but belongs to a tracer, such as a debugger, until that has waited for it. The
  /// system doesn't say when, and its descriptor stays readable. So this looks again, less and less often.
  fileprivate func waitForTracer() {
    tracerWait = min(max(tracerWait * 2, .milliseconds(10)), .milliseconds(100))
    let look: Completion<Void> = { [self] result in
      guard case .success = result, !isClosing else { return }
      cuv_child_look_again(child)
    }
    _ = keepsLoopRunning ? loop.sleep(for: tracerWait, look) : loop.sleepQuietly(for: tracerWait, look)
  }

  fileprivate func finish(_ end: Result<ExitStatus, UVError>) {
    self.end = end
    report(end)
    letGo(.process)
  }

  private func report(_ result: Result<ExitStatus, UVError>) {
    let waiters = self.waiters
    self.waiters = []
    for waiter in waiters { waiter.done(result) }
  }

  override func startUVClose() {
    // While the handle is open: by the number alone it could be another process, if something else in this one
    // has waited for the child.
    if killing != .none, end == nil {
      killGroup()
      _ = cuv_child_kill(child, SIGKILL)
    }
    super.startUVClose()
  }

  override func didClose() {
    report(.failure(Self.cancelled))
    super.didClose()
  }

  // MARK: Signals

  /// Kills the child, if it hasn't ended, and its group if it leads one.
  func killAll() {
    killGroup()
    if !hasEnded { try? kill(.kill) }
  }

  /// The number is the group's as long as that has members, also once the child has ended: those that it has left have
  /// its outputs open.
  private func killGroup() {
    if killing == .group { _ = uv_kill(-processID, SIGKILL) }
  }

  /// Sends a signal to the child.
  ///
  /// - Parameter signal: The signal; `SIGTERM` by default.
  /// - Throws: `noSuchProcess` once the child has ended, and `badDescriptor` if the handle is closed.
  ///
  /// The corresponding libuv function is `uv_process_kill`.
  public func kill(_ signal: Signal = .terminate) throws(UVError) {
    try checkOpen("process_kill")
    // The number may be another process's by now.
    guard end == nil else { throw UVError(.noSuchProcess, operation: "process_kill") }
    try check(cuv_child_kill(child, signal.rawValue), "process_kill")
  }
}

private func didExit(
  _ child: UnsafeMutablePointer<cuv_child>?, _ error: Int32, _ code: Int64, _ signal: Int32
) {
  let process = owner(of: child!, as: ChildProcess.self)
  if error == UV_EAGAIN.rawValue { return process.waitForTracer() }
  process.loop.callback {
    let status = ChildProcess.ExitStatus(
      code: Int(code), signal: signal == 0 ? nil : Signal(rawValue: signal))
    process.finish(
      error == 0
        ? .success(status) : .failure(failure(error, "exit", "process \(process.processID)")))
  }
}
