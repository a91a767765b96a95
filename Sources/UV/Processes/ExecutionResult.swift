/// The output of a child, and how it ended; see ``Processes/run(_:_:environment:workingDirectory:user:group:isDetached:input:outputLimit:errorLimit:)``.
public struct ExecutionResult: Hashable, Sendable {
  /// The system's number of the process, which may be another process's by now.
  public var processID: Int32
  /// How the child has ended.
  public var terminationStatus: ChildProcess.ExitStatus
  /// All that the child has written to its standard output; nothing if that isn't a pipe.
  public var standardOutput: Bytes
  /// All that the child has written to its standard error; nothing if that isn't a pipe.
  public var standardError: Bytes

  /// Creates a result.
  package init(
    processID: Int32, terminationStatus: ChildProcess.ExitStatus, standardOutput: Bytes = Bytes(),
    standardError: Bytes = Bytes()
  ) {
    self.processID = processID
    self.terminationStatus = terminationStatus
    self.standardOutput = standardOutput
    self.standardError = standardError
  }
}

extension ChildProcess {
  /// Reads what the child writes, and waits until it has ended and both of its outputs have.
  ///
  /// ```swift
  /// let child = try loop.processes.spawn("ls", ["-l"], stdio: [.ignore, .pipe, .pipe])
  /// let result = try await child.result().value
  /// print(result.terminationStatus.isSuccess, result.standardOutput)
  /// ```
  ///
  /// A process that the child has started may have its outputs open, and is waited for then. Cancelling the
  /// request ends the waiting; the child runs on, and what it has written can still be read.
  ///
  /// - Parameters:
  ///   - outputLimit: The most bytes of the standard output, 0 or more; 1 MiB, unless you say otherwise.
  ///   - errorLimit: The same for the standard error.
  /// - Returns: A request for the result. It fails with `messageTooLong` if there are more bytes than a limit,
  ///   which the error names; the child then runs on and waits until somebody reads. It fails with `cancelled`
  ///   if the child's handle or a pipe is closed before, and as ``ByteStream/readToEnd(limit:)`` does.
  ///
  /// The corresponding libuv functions are `uv_spawn` and `uv_read_start`.
  public func result(outputLimit: Int = 1 << 20, errorLimit: Int = 1 << 20) -> Request<ExecutionResult> {
    Request(of: loop) { [self] in result(outputLimit: outputLimit, errorLimit: errorLimit, $0) }
  }

  /// Reads what the child writes, and waits for the ends; see ``result(outputLimit:errorLimit:)``.
  ///
  /// `done` is called once on the loop's thread, never before this function returns.
  ///
  /// - Returns: A way to cancel.
  ///
  /// The corresponding libuv functions are `uv_spawn` and `uv_read_start`.
  @discardableResult
  public func result(
    outputLimit: Int = 1 << 20, errorLimit: Int = 1 << 20, _ done: @escaping Completion<ExecutionResult>
  ) -> PendingRequest {
    let collection = ResultCollection(self, done)
    collection.begin(outputLimit, errorLimit)
    return PendingRequest(collection)
  }
}

/// The requests that a child's result is made of. All run at the same time, since a child waits when a pipe
/// that nobody reads is full.
private final class ResultCollection: Cancelling {
  private let child: ChildProcess
  private var done: Completion<ExecutionResult>?
  private var parts: [PendingRequest] = []
  private var missing = 3
  private var result: ExecutionResult

  init(_ child: ChildProcess, _ done: @escaping Completion<ExecutionResult>) {
    self.child = child
    self.done = done
    result = ExecutionResult(processID: child.processID, terminationStatus: .init(code: 0))
  }

  func begin(_ outputLimit: Int, _ errorLimit: Int) {
    parts.append(
      child.exit { [self] in
        result.terminationStatus = $0.value ?? result.terminationStatus
        didEnd($0.error)
      })
    read(child.standardOutput, "standard output", outputLimit, \.standardOutput)
    read(child.standardError, "standard error", errorLimit, \.standardError)
  }

  private func read(
    _ pipe: PipeConnection?, _ name: String, _ limit: Int, _ part: WritableKeyPath<ExecutionResult, Bytes>
  ) {
    // The end of the child comes later, so this isn't the last part.
    guard let pipe else { return missing -= 1 }
    parts.append(
      pipe.readToEnd(limit: limit) { [self] in
        result[keyPath: part] = $0.value ?? Bytes()
        var error = $0.error
        if let code = error?.code, code == .messageTooLong {
          error = UVError(code, operation: "run", subject: "\(name) within \(limit) bytes")
        }
        didEnd(error)
      })
  }

  private func didEnd(_ error: UVError?) {
    missing -= 1
    if let error { finish(.failure(error)) } else if missing == 0 { finish(.success(result)) }
  }

  private func finish(_ result: Result<ExecutionResult, UVError>) {
    guard let done = done.take() else { return }
    for part in parts { part.cancel() }
    parts = []
    done(result)
  }

  func cancel(slot: UInt, generation: UInt) {
    // The parts report their cancellation to this.
    for part in parts { part.cancel() }
  }

  func awaited(slot: UInt, generation: UInt) -> Awaited? {
    done == nil ? nil : Awaited(operation: "result", subject: "process \(child.processID)")
  }
}

extension Result where Failure == UVError {
  fileprivate var value: Success? { try? get() }
  fileprivate var error: UVError? { if case .failure(let error) = self { error } else { nil } }
}
