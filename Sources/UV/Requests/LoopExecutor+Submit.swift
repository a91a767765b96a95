extension LoopExecutor {
  /// As the other ``submit(_:)``, but a request of another loop, for callbacks, promises and publishers: the answer arrives on `loop`.
  /// Once `body` has been sent, cancelling the request stops waiting; `body` runs all the same.
  ///
  /// ```swift
  /// group.next().submit(on: loop) { $0.activity.handles }.start { result in … }
  /// ```
  ///
  /// The corresponding libuv function is `uv_async_send`.
  public func submit<T: Sendable>(
    on loop: EventLoop, _ body: @escaping @Sendable (EventLoop) throws(UVError) -> T
  ) -> Request<T> {
    Request(loop) { done in
      AnswerRequest(loop, "submit", done).start { () async throws(UVError) in try await self.submit(body) }
    }
  }
}
