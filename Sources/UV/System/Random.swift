import CUV

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

/// A request for random bytes from the system.
final class RandomRequest: PoolRequest<Bytes> {
  private let storage: ByteStorage
  private let count: Int

  init(_ loop: EventLoop, _ count: Int, _ done: @escaping Completion<Bytes>) {
    storage = ByteStorage.create(capacity: count)
    self.count = count
    super.init(loop, "random", uv_random_t.self, done)
    cuv_req_set_data(request, Unmanaged.passUnretained(self).toOpaque())
  }

  private var request: UnsafeMutablePointer<uv_random_t> { raw.assumingMemoryBound(to: uv_random_t.self) }

  func start() -> PendingRequest {
    submit { uv_random(loop.raw, request, storage.base, count, 0, didFillRandom) }
  }

  fileprivate var bytes: Bytes {
    Bytes(storage: storage, start: UnsafePointer(storage.base), count: count)
  }
}

private func didFillRandom(
  _ request: UnsafeMutablePointer<uv_random_t>?, _ code: Int32, _: UnsafeMutableRawPointer?, _: Int
) {
  // Sound: the loop's list of requests owns it meanwhile.
  let random = activeRequest(of: cuv_req_data(request!), as: RandomRequest.self)
  random.finish(code) { random.bytes }
}
