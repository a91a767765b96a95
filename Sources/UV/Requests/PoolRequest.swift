import CUV

/// A request that the thread pool works on.
class PoolRequest<Success>: SingleRequest<Success> {
  override var isOnPool: Bool { true }

  /// libuv's request.
  let raw: UnsafeMutableRawPointer

  /// - Parameter type: The type of libuv's request.
  init(_ loop: EventLoop, _ operation: String, _ type: (some Any).Type, _ done: @escaping Completion<Success>)
  {
    raw = .allocate(of: type)
    super.init(loop, operation, done)
  }

  deinit { raw.deallocate() }

  /// Starts the work through `call`, which returns libuv's code.
  func submit(_ call: () -> Int32) -> PendingRequest {
    // On another thread the answer might come before the request is in the list.
    loop.requireOnLoop("a request of an event loop")
    let code = loop.isClosed ? UVError.Code.loopClosed.rawValue : call()
    if code < 0 {
      refuse(code)
      return PendingRequest()
    }
    // The loop's list of requests owns this request until libuv calls back, which happens once.
    loop.requests.insert(self)
    return PendingRequest(self)
  }

  override func cancel(slot: UInt, generation: UInt) {
    if isAnswered { return }
    // Work that has begun runs to its end, and its answer is dropped.
    if uv_cancel(cuv_request(raw)) != 0 { loop.work.givenUp.begin(on: loop) }
    endCancelled()
  }

  override var givenUp: Awaited? { isAnswered ? Awaited(operation: operation, subject: subject) : nil }

  /// Counts the time that the pool has had the request.
  func didRunOnPool() { countTime() }

  /// Called from libuv's callback.
  func finish(_ code: Int32, _ value: () -> Success) {
    loop.callback {
      if code != UV_ECANCELED.rawValue { didRunOnPool() }
      loop.requests.remove(self)
      answer { code < 0 ? .failure(failure(code, operation, subject)) : .success(value()) }
    }
  }
}

extension UnsafeMutableRawPointer {
  fileprivate static func allocate<T>(of _: T.Type) -> UnsafeMutableRawPointer {
    allocate(byteCount: MemoryLayout<T>.size, alignment: MemoryLayout<T>.alignment)
  }
}

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

/// How long the thread pool has had requests of a loop, all together.
package struct PoolTimes: Sendable {
  /// How many requests the pool has finished.
  package private(set) var count = 0
  /// How long they have waited for a thread, in nanoseconds.
  package private(set) var waiting: UInt64 = 0
  /// How long threads have worked on them, in nanoseconds. Of some requests nobody knows when a thread began,
  /// because libuv runs them; their wait is in here, too.
  package private(set) var running: UInt64 = 0

  /// No requests.
  package init() {}

  mutating func add(waiting: UInt64 = 0, running: UInt64) {
    count += 1
    self.waiting += waiting
    self.running += running
  }
}

extension ActiveRequest {
  /// Counts a request that libuv itself has run, to the millisecond of the loop's clock. The sum of many is
  /// right, because the clock's steps come at any moment.
  func countTime() {
    if loop.requests.poolTimes != nil {
      loop.requests.poolTimes!.add(running: (uv_now(loop.raw) &- start) &* 1_000_000)
    }
  }
}

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
