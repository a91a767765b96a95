extension LoopExecutor {
  /// A request that runs `body` on this executor's loop; its answer arrives on `loop`. Use it with callbacks,
  /// promises and publishers; in a task, use the asynchronous ``submit(_:)``.
  ///
  /// ```swift
  /// group.next().submit(on: loop) { $0.statistics.handles }.start { result in … }
  /// ```
  ///
  /// - Parameters:
  ///   - loop: The loop of the calling thread, where the answer arrives.
  ///   - body: What to run on this executor's loop.
  /// - Returns: A request for the body's value. It fails with what `body` throws, or with `loopClosed` if
  ///   this executor's loop has been shut down. Cancelling the request ends the waiting: a body that hasn't
  ///   begun by then never runs, and one that has begun runs to its end.
  ///
  /// The corresponding libuv function is `uv_async_send`.
  @inlinable
  public func submit<T: Sendable>(
    on loop: EventLoop, _ body: @escaping @Sendable (EventLoop) throws(UVError) -> T
  ) -> Request<T> {
    Request(of: loop) { done in
      RemoteFunctions.start(loop, on: self, .init(body), GenericCompletion(done))
    }
  }
}
