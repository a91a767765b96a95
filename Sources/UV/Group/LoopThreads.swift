import CUV

/// Threads, each of which runs a loop until it is asked to end.
package final class LoopThreads: Sendable {
  private struct State {
    var running = 0
    var waiters: [UnsafeContinuation<Void, Never>] = []
  }

  // Sound: touched only under the lock.
  nonisolated(unsafe) private let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
  // Sound: a pointer to a mutex; freed with this object.
  nonisolated(unsafe) private let lock = Lock()

  package init() { state.initialize(to: State()) }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
    lock.deallocate()
  }

  /// Starts a thread, and waits until its loop exists.
  ///
  /// - Parameters:
  ///   - isKept: Whether the loop runs until it is asked to stop. Otherwise it ends with its work, after the
  ///     caller has called `endWork()` once.
  ///   - prepare: Called with the loop, on its thread, before this function returns.
  package func start(
    isKept: Bool = true, _ prepare: @escaping @Sendable (EventLoop) -> Void = { _ in }
  ) throws(UVError) -> LoopExecutor {
    // Sound: the thread alone touches it until its loop exists.
    nonisolated(unsafe) let start = Start(self, isKept, prepare)
    lock.withLock { state.pointee.running += 1 }
    do throws(UVError) { try PlainThread.start { runLoop(start) } } catch {
      didEnd()
      throw error
    }
    return try start.wait()
  }

  /// Waits until all threads have ended.
  package func ended() async {
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      let isRunning = lock.withLock {
        if state.pointee.running > 0 { state.pointee.waiters.append(continuation) }
        return state.pointee.running > 0
      }
      if !isRunning { continuation.resume() }
    }
  }

  fileprivate func didEnd() {
    let waiters = lock.withLock { () -> [UnsafeContinuation<Void, Never>] in
      state.pointee.running -= 1
      guard state.pointee.running == 0 else { return [] }
      defer { state.pointee.waiters = [] }
      return state.pointee.waiters
    }
    for waiter in waiters { waiter.resume() }
  }
}

/// Used by a thread to notify its maker that its loop exists.
private final class Start {
  let threads: LoopThreads
  let isKept: Bool
  let prepare: @Sendable (EventLoop) -> Void
  private let semaphore = UnsafeMutablePointer<uv_sem_t>.allocate(capacity: 1)
  private var result: Result<LoopExecutor, UVError>?

  init(_ threads: LoopThreads, _ isKept: Bool, _ prepare: @escaping @Sendable (EventLoop) -> Void) {
    self.threads = threads
    self.isKept = isKept
    self.prepare = prepare
    uv_sem_init(semaphore, 0)
  }

  deinit {
    uv_sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func report(_ result: Result<LoopExecutor, UVError>) {
    self.result = result
    uv_sem_post(semaphore)
  }

  func wait() throws(UVError) -> LoopExecutor {
    uv_sem_wait(semaphore)
    return try result!.get()
  }
}

private func runLoop(_ start: Start) {
  do throws(UVError) {
    let loop = try EventLoop()
    // Keeps the loop running until it is stopped, or until there is other work.
    loop.beginWork()
    start.prepare(loop)
    start.report(.success(loop.executor))
    loop.ending.followsRun = true
    loop.runCallbacks { _ in }
    if start.isKept { loop.endWork() }
    loop.shutdown()
  } catch {
    start.report(.failure(error))
  }
  start.threads.didEnd()
}
