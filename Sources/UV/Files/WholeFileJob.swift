import CUV

/// A file read or written whole, in one job of the thread pool.
final class WholeFileJob<Success>: AnyWholeFileJob {
  private let convert: (UnsafeMutablePointer<cuv_file_job>) -> Success
  private var done: Completion<Success>?

  init(
    _ loop: EventLoop, _ operation: String, _ path: some PathConvertible, _ bytes: Bytes?,
    _ convert: @escaping (UnsafeMutablePointer<cuv_file_job>) -> Success,
    _ done: @escaping Completion<Success>
  ) {
    self.convert = convert
    self.done = done
    super.init(loop, operation, path.withPathBytes { $0.flatMap { strdup($0) } }, bytes)
  }

  func start() -> PendingRequest {
    if let code = submit() {
      fail(code)
      return PendingRequest()
    }
    return PendingRequest(self)
  }

  private func fail(_ code: Int32) {
    guard let done = done.take() else { return }
    let error = failure(code, operation, subject)
    loop.queueMicrotask { done(.failure(error)) }
  }

  override func cancel(slot: UInt, generation: UInt) {
    guard done != nil else { return }
    // A job that has begun runs to its end, and its result is released then.
    uv_cancel(cuv_request(job))
    fail(UV_ECANCELED.rawValue)
  }

  override func deliver(_ code: Int32) {
    if code < 0 {
      done.take()?(.failure(failure(code, operation, subject)))
    } else if let done = done.take() {
      done(.success(convert(job)))
    }
  }
}

/// What whole-file jobs of all results have in common.
class AnyWholeFileJob: ActiveRequest {
  let job = UnsafeMutablePointer<cuv_file_job>.allocate(capacity: 1)
  let operation: String
  /// Keeps what is written alive while the pool reads it.
  private let bytes: Bytes?

  init(_ loop: EventLoop, _ operation: String, _ path: UnsafeMutablePointer<CChar>?, _ bytes: Bytes?) {
    self.operation = operation
    self.bytes = bytes
    job.initialize(to: cuv_file_job())
    job.pointee.path = path
    if let bytes {
      job.pointee.bytes = UnsafeMutableRawPointer(mutating: UnsafeRawPointer(bytes.start))
      job.pointee.count = bytes.count
    }
    super.init(loop: loop)
    cuv_req_set_data(job, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    free(job.pointee.path)
    if bytes == nil { free(job.pointee.bytes) }
    job.deallocate()
  }

  var subject: String? { job.pointee.path.map { String(cString: $0) } ?? "a path with a NUL in it" }

  /// Queues the job; a code if it cannot be.
  func submit() -> Int32? {
    if loop.isClosed { return UVError.Code.loopClosed.rawValue }
    if job.pointee.path == nil { return UV_EINVAL.rawValue }
    let code = cuv_file_job_queue(loop.raw, job, didFinishJob)
    if code < 0 { return code }
    // Balanced when libuv calls back, which it does once.
    _ = Unmanaged.passRetained(self)
    loop.requests.insert(self)
    return nil
  }

  fileprivate func finish(_ code: Int32) {
    loop.requests.remove(self)
    deliver(code < 0 ? code : job.pointee.result)
  }

  func deliver(_ code: Int32) {}
}

private func didFinishJob(_ work: UnsafeMutablePointer<uv_work_t>?, _ code: Int32) {
  // Balances the retain in `submit`.
  let job = Unmanaged<AnyWholeFileJob>.fromOpaque(cuv_req_data(work!)).takeRetainedValue()
  let loop = job.loop
  loop.beginCallback()
  job.finish(code)
  loop.endCallback()
}
