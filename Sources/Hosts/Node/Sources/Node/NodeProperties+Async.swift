/// Functions that return promises, with up to three arguments. They are written out for each number, because
/// Swift 6.3.1 doesn't compile an asynchronous closure with a pack of them.
extension NodeProperties {
  /// Gives the object a function that returns a promise. The body runs as a task on the environment's own
  /// loop.
  ///
  /// JavaScript may pass an object with an `AbortSignal` as its property `signal` after the other arguments,
  /// as to Node's own functions: `f(1, { signal })`. When it aborts, the task is cancelled. If the task ends
  /// with an error then, the promise is rejected with the signal's reason.
  ///
  /// - Parameters:
  ///   - name: The property's name, and the function's.
  ///   - body: Called with the arguments, once JavaScript's function has returned. Its value fulfills the
  ///     promise, and what it throws rejects it: a `UVError` as an `Error` with `code`, `syscall`, `errno`
  ///     and `path`.
  ///
  /// The corresponding Node-API function is `napi_create_promise`.
  public func asyncFunction<R: NodeEncodable>(
    _ name: String, _ body: nonisolated(nonsending) @escaping () async throws -> R
  ) throws(NodeError) {
    try add(name) { call in
      return try call.promise { try await body() }
    }
  }

  /// Gives the object a function that returns a promise without a value; see the first `asyncFunction`.
  public func asyncFunction(
    _ name: String, _ body: nonisolated(nonsending) @escaping () async throws -> Void
  ) throws(NodeError) {
    try add(name) { call in
      return try call.promise { try await body() }
    }
  }

  /// Gives the object a function that returns a promise; see the first `asyncFunction`.
  public func asyncFunction<A: NodeDecodable, R: NodeEncodable>(
    _ name: String, _ body: nonisolated(nonsending) @escaping (A) async throws -> R
  ) throws(NodeError) {
    try add(name) { call in
      let a = try call.next(A.self)
      return try call.promise { try await body(a) }
    }
  }

  /// Gives the object a function that returns a promise without a value; see the first `asyncFunction`.
  public func asyncFunction<A: NodeDecodable>(
    _ name: String, _ body: nonisolated(nonsending) @escaping (A) async throws -> Void
  ) throws(NodeError) {
    try add(name) { call in
      let a = try call.next(A.self)
      return try call.promise { try await body(a) }
    }
  }

  /// Gives the object a function that returns a promise; see the first `asyncFunction`.
  public func asyncFunction<A: NodeDecodable, B: NodeDecodable, R: NodeEncodable>(
    _ name: String, _ body: nonisolated(nonsending) @escaping (A, B) async throws -> R
  ) throws(NodeError) {
    try add(name) { call in
      let (a, b) = (try call.next(A.self), try call.next(B.self))
      return try call.promise { try await body(a, b) }
    }
  }

  /// Gives the object a function that returns a promise without a value; see the first `asyncFunction`.
  public func asyncFunction<A: NodeDecodable, B: NodeDecodable>(
    _ name: String, _ body: nonisolated(nonsending) @escaping (A, B) async throws -> Void
  ) throws(NodeError) {
    try add(name) { call in
      let (a, b) = (try call.next(A.self), try call.next(B.self))
      return try call.promise { try await body(a, b) }
    }
  }

  /// Gives the object a function that returns a promise; see the first `asyncFunction`.
  public func asyncFunction<A: NodeDecodable, B: NodeDecodable, C: NodeDecodable, R: NodeEncodable>(
    _ name: String, _ body: nonisolated(nonsending) @escaping (A, B, C) async throws -> R
  ) throws(NodeError) {
    try add(name) { call in
      let (a, b, c) = (try call.next(A.self), try call.next(B.self), try call.next(C.self))
      return try call.promise { try await body(a, b, c) }
    }
  }

  /// Gives the object a function that returns a promise without a value; see the first `asyncFunction`.
  public func asyncFunction<A: NodeDecodable, B: NodeDecodable, C: NodeDecodable>(
    _ name: String, _ body: nonisolated(nonsending) @escaping (A, B, C) async throws -> Void
  ) throws(NodeError) {
    try add(name) { call in
      let (a, b, c) = (try call.next(A.self), try call.next(B.self), try call.next(C.self))
      return try call.promise { try await body(a, b, c) }
    }
  }
}
