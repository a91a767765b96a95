extension EventLoop {
  /// Random bytes from the system, which are fit for secrets. They are made on the thread pool, because the
  /// system may have to gather them first.
  ///
  /// - Parameter count: How many bytes, 0…2³¹-1.
  /// - Returns: A request for the bytes. It fails with `invalidArgument` for a count out of range.
  ///
  /// The corresponding libuv function is `uv_random`.
  public func random(_ count: Int) -> Request<Bytes> { Request(of: self) { [self] in random(count, $0) } }

  /// Random bytes from the system; see ``random(_:)``.
  ///
  /// The corresponding libuv function is `uv_random`.
  @discardableResult
  public func random(_ count: Int, _ done: @escaping Completion<Bytes>) -> PendingRequest {
    guard 0...Int(Int32.max) ~= count else {
      let error = UVError(.invalidArgument, operation: "random", subject: "\(count) bytes")
      answer { done(.failure(error)) }
      return PendingRequest()
    }
    return RandomRequest(self, count, done).start()
  }
}
