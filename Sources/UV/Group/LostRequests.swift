// A request that a closure returns to a function which drops it, or hands it on, would do nothing, without a word. These
// functions take such a closure in place of the generic one of the same name: they start the request, and the compiler
// says what to write so that a reader sees it begin. They are deprecated and not unavailable, because the compiler
// prefers a generic function that is available. The documentation leaves them out, so that a link means the generic
// one. A chain's methods can't be overloaded so; see Design/0070-lost-requests.md.

/// A request, as the result of a closure; for the library's own use.
public protocol _ColdRequest<Success> {
  /// The type of the request's value.
  associatedtype Success

  /// The request itself.
  var _request: Request<Success> { get }
}

extension Request: _ColdRequest {
  /// The request itself.
  public var _request: Request { self }
}

extension EventLoop {
  /// Starts the request that `body` returns, and returns its value; see ``run(_:)``.
  @_documentation(visibility: internal)
  @available(*, deprecated, message: "a request begins when awaited; write `try await request.value`")
  @discardableResult
  public static func run<R: _ColdRequest & SendableMetatype>(
    _ body: nonisolated(nonsending) @escaping @Sendable (EventLoop) async throws -> R
  ) throws -> R.Success {
    try run { loop in try await body(loop)._request.value }
  }

  /// Starts the request that `body` returns, and returns its value; see ``runCallbacks(_:)``.
  @_documentation(visibility: internal)
  @available(*, deprecated, message: "a request begins when started; write `request.start { … }`")
  @discardableResult
  public static func runCallbacks<R: _ColdRequest>(_ body: (EventLoop) throws -> R) throws -> R.Success {
    try startingRequest { start in try runCallbacks { start(try body($0)._request) } }
  }

  /// Starts the request that `body` returns as the task's work; see ``spawn(name:file:line:_:)``.
  @_documentation(visibility: internal)
  @available(*, deprecated, message: "a request begins when awaited; write `try await request.value`")
  public func spawn<R: _ColdRequest>(
    name: String? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ body: nonisolated(nonsending) @escaping () async throws -> R
  ) -> LoopTask<R.Success, any Error> {
    spawn(name: name, file: file, line: line) { () async throws -> R.Success in
      try await body()._request.value
    }
  }

  /// Starts the request that `body` returns, within the limit; see ``withDeadline(_:file:line:_:)``.
  @_documentation(visibility: internal)
  @available(*, deprecated, message: "a request begins when awaited; write `try await request.value`")
  public nonisolated(nonsending) func withDeadline<R: _ColdRequest>(
    _ limit: Duration, file: StaticString = #fileID, line: UInt = #line,
    _ body: nonisolated(nonsending) @escaping () async throws -> R
  ) async throws -> R.Success {
    try await withDeadline(limit, file: file, line: line) { try await body()._request.value }
  }

  /// Starts the request that `body` returns, within the shield; see ``withShield(file:line:_:)``.
  @_documentation(visibility: internal)
  @available(*, deprecated, message: "a request begins when awaited; write `try await request.value`")
  public nonisolated(nonsending) func withShield<R: _ColdRequest>(
    file: StaticString = #fileID, line: UInt = #line,
    _ body: nonisolated(nonsending) @escaping () async throws -> R
  ) async throws -> R.Success {
    try await withShield(file: file, line: line) { () async throws -> R.Success in
      try await body()._request.value
    }
  }

  /// Starts the request that `body` returns, as a part of the group; see ``withTasks(file:line:_:)``.
  @_documentation(visibility: internal)
  @available(*, deprecated, message: "a request begins when awaited; write `try await request.value`")
  @discardableResult
  public nonisolated(nonsending) func withTasks<R: _ColdRequest>(
    file: StaticString = #fileID, line: UInt = #line,
    _ body: nonisolated(nonsending) @escaping (LoopTaskGroup) async throws -> R
  ) async throws -> R.Success {
    try await withTasks(file: file, line: line) { try await body($0)._request.value }
  }

  /// Starts the request that `body` returns, as a part of the group; see ``withTasks(limit:file:line:_:)``.
  @_documentation(visibility: internal)
  @available(*, deprecated, message: "a request begins when awaited; write `try await request.value`")
  @discardableResult
  public nonisolated(nonsending) func withTasks<R: _ColdRequest>(
    limit: Int, file: StaticString = #fileID, line: UInt = #line,
    _ body: nonisolated(nonsending) @escaping (LimitedTaskGroup<Void>) async throws -> R
  ) async throws -> R.Success {
    try await withTasks(limit: limit, file: file, line: line) { try await body($0)._request.value }
  }

  /// Starts the request that `body` returns, as a part of the group; see
  /// ``withTasks(of:limit:file:line:_:)``.
  @_documentation(visibility: internal)
  @available(*, deprecated, message: "a request begins when awaited; write `try await request.value`")
  @discardableResult
  public nonisolated(nonsending) func withTasks<Value, R: _ColdRequest>(
    of type: Value.Type, limit: Int = .max, file: StaticString = #fileID, line: UInt = #line,
    _ body: nonisolated(nonsending) @escaping (LimitedTaskGroup<Value>) async throws -> R
  ) async throws -> R.Success {
    try await withTasks(of: type, limit: limit, file: file, line: line) { try await body($0)._request.value }
  }

  /// Runs a loop by `run`, has it start a request, and returns the request's value.
  fileprivate static func startingRequest<T>(
    _ run: (_ start: (Request<T>) -> Void) throws -> Void
  ) throws -> T {
    var result: Result<T, UVError>?
    try run { $0.start { result = $0 } }
    // The run may have been stopped before the answer came.
    guard let result else { throw UVError(.cancelled, operation: "runCallbacks") }
    return try result.get()
  }
}

extension EventLoop.Runner {
  /// Starts the request that `body` returns, and returns its value; see ``callAsFunction(_:)``.
  @_documentation(visibility: internal)
  @available(*, deprecated, message: "a request begins when awaited; write `try await request.value`")
  @discardableResult
  public func callAsFunction<R: _ColdRequest & SendableMetatype>(
    _ body: nonisolated(nonsending) @escaping @Sendable (EventLoop) async throws -> R
  ) throws -> R.Success {
    try callAsFunction { loop in try await body(loop)._request.value }
  }
}

extension EventLoop.CallbackRunner {
  /// Starts the request that `body` returns, and returns its value; see ``callAsFunction(_:)``.
  @_documentation(visibility: internal)
  @available(*, deprecated, message: "a request begins when started; write `request.start { … }`")
  @discardableResult
  public func callAsFunction<R: _ColdRequest>(_ body: (EventLoop) throws -> R) throws -> R.Success {
    try EventLoop.startingRequest { start in try callAsFunction { start(try body($0)._request) } }
  }
}

extension LoopTaskGroup {
  /// Starts the request that `body` returns as the task's work; see ``spawn(name:file:line:_:)``.
  @_documentation(visibility: internal)
  @available(*, deprecated, message: "a request begins when awaited; write `try await request.value`")
  @discardableResult
  public func spawn<R: _ColdRequest>(
    name: String? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ body: nonisolated(nonsending) @escaping () async throws -> R
  ) -> LoopTask<R.Success, any Error> {
    spawn(name: name, file: file, line: line) { () async throws -> R.Success in
      try await body()._request.value
    }
  }
}
