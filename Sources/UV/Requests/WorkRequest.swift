import CUV

/// A closure on the thread pool.
final class WorkRequest<Success: Sendable>: AnyWorkRequest {
  private let body: @Sendable () -> Success
  private var result: Success?
  private var done: Completion<Success>?

  init(_ loop: EventLoop, _ body: @escaping @Sendable () -> Success, _ done: @escaping Completion<Success>) {
    self.body = body
    self.done = done
    super.init(loop: loop)
  }

  func start() -> PendingRequest {
    let code = submit()
    if code == 0 { return PendingRequest(self) }
    fail(code)
    return PendingRequest()
  }

  /// On a thread of the pool. libuv's own locks order this before `deliver`, and nothing else touches the result.
  override func run() { result = body() }

  override func cancel(slot: UInt, generation: UInt) {
    guard done != nil else { return }
    // A body that has begun runs to its end.
    uv_cancel(cuv_request(work))
    fail(UV_ECANCELED.rawValue)
  }

  override func deliver(_ code: Int32) {
    if code < 0 { done.take()?(.failure(failure(code, "work"))) } else { done.take()?(.success(result!)) }
  }

  private func fail(_ code: Int32) {
    guard let done = done.take() else { return }
    loop.tell(code) { done(.failure(failure(code, "work"))) }
  }
}

/// What closures on the pool have in common.
class AnyWorkRequest: ActiveRequest {
  let work = UnsafeMutablePointer<uv_work_t>.allocate(capacity: 1)

  deinit { work.deallocate() }

  /// Queues the closure; a code if it cannot be.
  func submit() -> Int32 {
    if loop.isClosed { return UVError.Code.loopClosed.rawValue }
    // Sound: the loop's list of requests owns it meanwhile.
    cuv_req_set_data(work, Unmanaged.passUnretained(self).toOpaque())
    let code = uv_queue_work(loop.raw, work, runWork, didWork)
    if code == 0 { loop.requests.insert(self) }
    return code
  }

  /// Runs the closure, on a thread of the pool.
  func run() {}

  /// Tells the result, on the loop.
  func deliver(_ code: Int32) {}
}

private func runWork(_ work: UnsafeMutablePointer<uv_work_t>?) {
  // Sound: see `submit`; no reference is counted here, off the loop's thread.
  Unmanaged<AnyWorkRequest>.fromOpaque(cuv_req_data(work!))._withUnsafeGuaranteedRef { $0.run() }
}

private func didWork(_ work: UnsafeMutablePointer<uv_work_t>?, _ code: Int32) {
  // Sound: see `submit`.
  let request = Unmanaged<AnyWorkRequest>.fromOpaque(cuv_req_data(work!)).takeUnretainedValue()
  let loop = request.loop
  loop.beginCallback()
  loop.requests.remove(request)
  request.deliver(code)
  loop.endCallback()
}
