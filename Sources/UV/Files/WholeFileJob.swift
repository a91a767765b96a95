import CUV

/// A file read or written whole, in one job of the thread pool. The steps of the job, such as the temporary
/// file of an atomic write, are in `CModules/CUV/whole_files.c`.
final class WholeFileJob<Success>: PoolRequest<Success> {
  var job: UnsafeMutablePointer<cuv_file_job> { raw.assumingMemoryBound(to: cuv_file_job.self) }
  /// Keeps what is written alive while the pool reads it.
  private let bytes: Bytes?
  private let convert: (UnsafeMutablePointer<cuv_file_job>) -> Success

  init(
    _ loop: EventLoop, _ operation: String, _ path: some PathConvertible, _ bytes: Bytes?,
    _ convert: @escaping (UnsafeMutablePointer<cuv_file_job>) -> Success,
    _ done: @escaping Completion<Success>
  ) {
    self.convert = convert
    self.bytes = bytes
    super.init(loop, operation, cuv_file_job.self, done)
    job.initialize(to: cuv_file_job())
    job.pointee.path = path.withPathBytes { $0.flatMap { strdup($0) } }
    if let bytes {
      job.pointee.bytes = UnsafeMutableRawPointer(mutating: UnsafeRawPointer(bytes.start))
      job.pointee.count = bytes.count
    }
    // Sound: the loop's list of requests owns it meanwhile. It is stored as its base class because a libuv
    // callback can't know the type parameter.
    cuv_req_set_data(job, Unmanaged<ActiveRequest>.passUnretained(self).toOpaque())
  }

  deinit {
    free(job.pointee.path)
    if bytes == nil { free(job.pointee.bytes) }
  }

  override var subject: String? { job.pointee.path.map { String(cString: $0) } ?? "a path with a NUL in it" }

  func start() -> PendingRequest {
    submit { job.pointee.path == nil ? UV_EINVAL.rawValue : cuv_file_job_queue(loop.raw, job, didFinishJob) }
  }

  override func poolDidEnd(_ code: Int32) { finish(code < 0 ? code : job.pointee.result) { convert(job) } }
}

private func didFinishJob(_ work: UnsafeMutablePointer<uv_work_t>?, _ code: Int32) {
  // Sound: see `init`.
  activeRequest(of: cuv_req_data(work!), as: ActiveRequest.self).poolDidEnd(code)
}
