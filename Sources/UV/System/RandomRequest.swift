import CUV

/// A request for random bytes from the system.
final class RandomRequest: PoolRequest<Bytes> {
  private let request = UnsafeMutablePointer<uv_random_t>.allocate(capacity: 1)
  private let storage: ByteStorage
  private let count: Int

  init(_ loop: EventLoop, _ count: Int, _ done: @escaping Completion<Bytes>) {
    storage = ByteStorage.create(capacity: count)
    self.count = count
    super.init(loop, "random", done)
    cuv_req_set_data(request, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit { request.deallocate() }

  override var raw: UnsafeMutableRawPointer { UnsafeMutableRawPointer(request) }

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
  let random = Unmanaged<RandomRequest>.fromOpaque(cuv_req_data(request!)).takeUnretainedValue()
  random.finish(code) { random.bytes }
}
