import CUV

/// A closure on the thread pool.
final class WorkRequest<Success: Sendable>: PoolRequest<Success> {
  /// Nil once the work has ended: the caller may keep the pending request, which keeps this object.
  private var body: (@Sendable () -> Success)?
  private var result: Success?
  /// When the request was begun, and when a thread began and ended it, if the loop measures that.
  private var queued: UInt64 = 0
  private var begun: UInt64 = 0
  private var ended: UInt64 = 0

  init(_ loop: EventLoop, _ body: @escaping @Sendable () -> Success, _ done: @escaping Completion<Success>) {
    self.body = body
    super.init(loop, "work", uv_work_t.self, done)
    // Sound: the loop's list of requests owns it meanwhile. It is stored as its base class because a libuv
    // callback can't know the type parameter.
    cuv_req_set_data(work, Unmanaged<ActiveRequest>.passUnretained(self).toOpaque())
  }

  private var work: UnsafeMutablePointer<uv_work_t> { raw.assumingMemoryBound(to: uv_work_t.self) }

  func start() -> PendingRequest {
    if loop.requests.poolTimes != nil { queued = uv_hrtime() }
    return submit { uv_queue_work(loop.raw, work, runWork, didWork) }
  }

  /// libuv's own locks make this happen before `poolDidEnd`, and nothing else touches the result.
  override func runOnPool() {
    if queued != 0 { begun = uv_hrtime() }
    result = body!()
    if queued != 0 { ended = uv_hrtime() }
  }

  override func didRunOnPool() {
    if queued != 0 { loop.requests.poolTimes?.add(waiting: begun - queued, running: ended - begun) }
  }

  override func poolDidEnd(_ code: Int32) {
    finish(code) { result! }
    body = nil
    result = nil
  }
}

private func runWork(_ work: UnsafeMutablePointer<uv_work_t>?) {
  // Sound: see `init`; no reference is counted here, off the loop's thread.
  Unmanaged<ActiveRequest>.fromOpaque(cuv_req_data(work!))._withUnsafeGuaranteedRef { $0.runOnPool() }
}

private func didWork(_ work: UnsafeMutablePointer<uv_work_t>?, _ code: Int32) {
  // Sound: see `init`.
  activeRequest(of: cuv_req_data(work!), as: ActiveRequest.self).poolDidEnd(code)
}
