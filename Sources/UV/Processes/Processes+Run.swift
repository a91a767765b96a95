extension Processes {
  /// Runs a program to its end, and returns how it ended and what it wrote.
  ///
  /// ```swift
  /// let result = try await loop.processes.run("sort", ["-r"], input: "a\nb\n")
  ///   .timeout(after: .seconds(5)).value
  /// print(result.terminationStatus.isSuccess, result.standardOutput)
  /// ```
  ///
  /// An exit code other than 0 isn't an error of this request. For a program that is to be read while it
  /// runs, use ``spawn(_:_:environment:workingDirectory:user:group:isDetached:terminal:stdio:)``.
  ///
  /// If the request fails or is cancelled, by `timeout(after:)` for example, the program is killed by
  /// `SIGKILL`. Processes that it has started aren't, unless `isDetached` has them in a group with it. While one of
  /// them has the outputs open, this waits for it.
  ///
  /// - Parameters:
  ///   - program: A path, or a name to look up in the child's `PATH`.
  ///   - arguments: The arguments after the program's name.
  ///   - environment: The child's whole environment; nil for the environment of this process.
  ///   - workingDirectory: Where the child starts; nil for the working directory of this process.
  ///   - user: The number of the user that the child runs as. Changing the user needs a privilege.
  ///   - group: The number of the group that the child runs as. Changing the group needs a privilege.
  ///   - isDetached: Whether the child leads a session of its own. All processes of its group are then killed with it, also
  ///     once it has ended itself; a terminal's `^C` doesn't reach them.
  ///   - input: What the child reads from its standard input. It need not read all of it.
  ///   - outputLimit: The most bytes of the standard output, 0 or more; 1 MiB, unless you say otherwise.
  ///   - errorLimit: The same for the standard error.
  /// - Returns: A request for the result. It fails with `messageTooLong` if there are more bytes than a limit,
  ///   which the error names, and as `spawn` and ``ByteStream/readToEnd(limit:)`` do.
  ///
  /// The corresponding libuv function is `uv_spawn`. Its names are those of swift-subprocess, whose function
  /// is `run`.
  public func run(
    _ program: some PathConvertible, _ arguments: [String] = [], environment: [String: String]? = nil,
    workingDirectory: (any PathConvertible)? = nil, user: UInt32? = nil, group: UInt32? = nil,
    isDetached: Bool = false, input: Bytes = Bytes(), outputLimit: Int = 1 << 20, errorLimit: Int = 1 << 20
  ) -> Request<ExecutionResult> {
    Request(of: loop) {
      run(
        program, arguments, environment: environment, workingDirectory: workingDirectory, user: user,
        group: group, isDetached: isDetached, input: input, outputLimit: outputLimit, errorLimit: errorLimit,
        $0)
    }
  }

  /// Runs a program to its end; see
  /// ``run(_:_:environment:workingDirectory:user:group:isDetached:input:outputLimit:errorLimit:)``.
  ///
  /// `done` is called once on the loop's thread, never before this function returns.
  ///
  /// - Returns: A way to cancel, which kills the program.
  ///
  /// The corresponding libuv function is `uv_spawn`.
  @discardableResult
  public func run(
    _ program: some PathConvertible, _ arguments: [String] = [], environment: [String: String]? = nil,
    workingDirectory: (any PathConvertible)? = nil, user: UInt32? = nil, group: UInt32? = nil,
    isDetached: Bool = false, input: Bytes = Bytes(), outputLimit: Int = 1 << 20, errorLimit: Int = 1 << 20,
    _ done: @escaping Completion<ExecutionResult>
  ) -> PendingRequest {
    do throws(UVError) {
      let child = try spawn(
        program, arguments, environment: environment, workingDirectory: workingDirectory, user: user,
        group: group, isDetached: isDetached, stdio: [input.isEmpty ? .ignore : .pipe, .pipe, .pipe])
      child.killing = isDetached ? .group : .alone
      if !input.isEmpty {
        // A child that doesn't read its input is its own matter, and its status says what came of it.
        child.standardInput?.write(input) { _ in }
        child.standardInput?.shutdown { _ in child.standardInput?.close() }
      }
      return child.result(outputLimit: outputLimit, errorLimit: errorLimit) { result in
        if case .failure = result { child.killAll() }
        for pipe in child.stdio { pipe?.close() }
        // The system knows the child until somebody has waited for it.
        if child.hasEnded { child.close() } else { child.exit { _ in child.close() } }
        done(result)
      }
    } catch {
      loop.answer { done(.failure(error)) }
      return PendingRequest()
    }
  }
}
