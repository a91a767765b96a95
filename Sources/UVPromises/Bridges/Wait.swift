import UV

extension Promise {
  /// Runs the loop of this thread until the promise is resolved, and returns its value.
  ///
  /// For programs that make a loop and do not run it themselves. Other pending work stays so, and
  /// goes on in the next run or `wait()`. Inside a running loop this could only wait for itself, so it stops the
  /// program with a message; use ``async()`` or a handler there.
  ///
  /// - Throws: The promise's error; ``PMKError/abandoned`` if the loop has no work left that could resolve
  ///   it.
  public func wait() throws -> T { try node.wait(T.self) }
}

extension Guarantee {
  /// Runs the loop of this thread until the guarantee is resolved, and returns its value; see
  /// ``Promise/wait()``. Stops the program with a message if the loop has no work left that could resolve it.
  public func wait() -> T {
    guard let value = try? node.wait(T.self) else {
      fatalError("wait(): the loop has no work left that could resolve the guarantee")
    }
    return value
  }
}

/// Runs the loop of this thread until the promise is resolved; see ``Promise/wait()``.
public func hang<T>(_ promise: Promise<T>) throws -> T { try promise.wait() }

extension Node {
  func wait<T>(_ type: T.Type) throws -> T {
    if state == .pending {
      guard let loop = EventLoop.current else {
        if LoopBatch.current == nil { throw PMKError.abandoned }
        fatalError(
          "wait() in a handler on a queue would wait for what the handler itself keeps from its loop; return the promise"
        )
      }
      if loop.isRunning {
        fatalError(
          """
          wait() inside a running event loop would wait for itself for ever; use then, done or \
          try await promise.async()
          """)
      }
      if isMainThread { conf.logHandler(.waitOnMainThread) }
      pipe { (_: PMKResult<T>) in loop.returnFromRun() }
      loop.runCallbacks { (_: EventLoop) throws(Never) in }
    }
    guard let result = result(as: type) else { throw PMKError.abandoned }
    return try result.get()
  }
}
