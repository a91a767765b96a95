import UV
@_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

// Sound: `loop` is touched on its thread alone, which is the one that makes this object and calls `run`.
/// A libuv loop as the executor of the main actor, of tasks that ask for none, and of what sleeps.
final class LoopMain: MainExecutor, TaskExecutor, SchedulingExecutor, @unchecked Sendable {
  private let loop: EventLoop
  private let executor: LoopExecutor

  init() {
    do { loop = try EventLoop() } catch { fatalError("no loop for the main thread: \(error)") }
    executor = loop.executor
  }

  /// Runs the loop until the program ends. Swift calls this for an asynchronous `main`.
  func run() throws {
    // A timer that never ends keeps the loop running while all tasks wait for something else.
    try loop.runCallbacks { loop in _ = loop.sleep(for: .seconds(1 << 30)) { _ in } }
  }

  func stop() { executor.stop() }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    send { _ in self.run(job) }
  }

  /// A task sleeps.
  func enqueue<C: Clock>(
    _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
  ) {
    guard let delay = delay as? Duration else {
      fatalError("a task sleeps by \(C.self), whose durations libuv's timers don't have")
    }
    let job = UnownedJob(job)
    send { loop in _ = loop.sleep(for: delay) { _ in self.run(job) } }
  }

  private func send(_ body: @escaping @Sendable (EventLoop) -> Void) {
    do { try executor.execute(body) } catch { fatalError("a job comes after the main loop's end") }
  }

  private func run(_ job: UnownedJob) {
    job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
  }

  var isMainExecutor: Bool { true }

  func checkIsolated() { precondition(executor.isOnLoop, "not on the main loop's thread") }
}

struct LoopFactory: ExecutorFactory {
  private static let main = LoopMain()

  static var mainExecutor: any MainExecutor { main }
  static var defaultExecutor: any TaskExecutor { main }
}
