extension EventLoop {
  /// Runs `body` on libuv's thread pool; its value arrives on the loop.
  ///
  /// File operations and name resolution share the pool. It has four threads unless the environment variable
  /// `UV_THREADPOOL_SIZE` says otherwise, so work that waits for long holds those operations up.
  /// When the process ends, libuv waits for work that has begun. So `exit` in `body` aborts: its thread would
  /// wait for itself.
  ///
  /// - Parameter body: What to do, off the loop's thread. If it can fail, let it return a `Result`.
  /// - Returns: A request for the body's value. If you cancel it before the body has begun, the body never
  ///   begins. After that the body runs to its end and its value is dropped.
  ///
  /// The corresponding libuv function is `uv_queue_work`.
  public func work<T: Sendable>(_ body: @escaping @Sendable () -> T) -> Request<T> {
    Request(of: self) { [self] in work(body, $0) }
  }

  /// Runs `body` on libuv's thread pool; see ``work(_:)``.
  ///
  /// The corresponding libuv function is `uv_queue_work`.
  @discardableResult
  public func work<T: Sendable>(
    _ body: @escaping @Sendable () -> T, _ done: @escaping Completion<T>
  ) -> PendingRequest {
    WorkRequest(self, body, done).start()
  }
}
