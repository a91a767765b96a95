extension EventLoop {
  /// Runs `body` on libuv's thread pool; its value comes back on the loop.
  ///
  /// The pool is shared with files and name resolution, and has four threads unless the environment's
  /// `UV_THREADPOOL_SIZE` says otherwise: work that waits for long holds these up.
  ///
  /// - Parameter body: What to do, off the loop's thread. To fail, let it return a `Result`.
  /// - Returns: A request for the body's value. Cancelled before the body has begun, it never begins; after that it
  ///   runs to its end, and its value is dropped.
  ///
  /// The corresponding libuv function is `uv_queue_work`.
  public func work<T: Sendable>(_ body: @escaping @Sendable () -> T) -> Request<T> {
    Request(self) { [self] in work(body, $0) }
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
