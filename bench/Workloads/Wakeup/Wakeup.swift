import BenchHarness
import Synchronization
import UV
import UVFutures
import UVPromises

extension Workloads {
  /// One operation: the other thread (`Pinger`) wakes the loop, the loop calls `answer()`. Under way: 1. Checked: how many.
  ///
  /// The thread waits on a semaphore that `answer()` posts. With `cores=1` both threads are pinned to one processor, with `cores=2` to one
  /// each. When `answer()` says `finished`, join the pinger before releasing what it wakes the loop with.
  static let wakeup = LoopWorkload(
    name: "wakeup", summary: "from another thread to the loop and back",
    parameters: [cores],
    isSingleThreaded: false,
    // Whether the loop waits already when it is woken decides who enqueues its job.
    timing: {
      $0.style == .async
        ? [.allocations, .allocatedBytes, .jobs, .jobsFromOtherThreads, .jobsRun, .wakeups] : []
    },
    check: .counted,
    rows: WakeUps.rows(beside: "wakeup"),
    targets: [
      Target(
        "wakeup", ["cores": 1], bounds: [.callback: 1.0, .async: 1.2, .promise: 1.0, .future: 1.1],
        reasons: wakeUps),
      Target(
        "wakeup", ["cores": 2], bounds: [.callback: 1.0, .async: 1.2, .promise: 1.0, .future: 1.1],
        reasons: wakeUps),
    ])

  private static let wakeUps: [Style: String] = [
    .callback:
      "the kernel takes 0.82 of C's time for the three system calls that are left",
    .promise: "a promise, two steps and a function are made anew for each wake-up",
    .future: "a future, its resolver and what carries it between threads are made anew for each wake-up",
    .async: "an AsyncStream takes a lock and wakes its task by a job",
  ]
}

/// `wakeup`: another thread wakes the loop and waits for its answer.
enum WakeUps: LoopRows {
  static let callback: LoopRow = { task in
    try EventLoop.runCallbacks { loop in
      // A loop that only waits for other threads would end.
      loop.sleep(for: .seconds(86400)) { _ in }
      let executor = loop.executor
      return Pinger(task) { pinger in
        try? executor.execute { loop in
          if !pinger.answer() { loop.stop() }
        }
      }
    }.checkedReport()
  }

  static let promise: LoopRow = { task in
    try EventLoop.runCallbacks { _ in PromisedWakeUps(task).pinger }.checkedReport()
  }

  static let future: LoopRow = { task in
    try EventLoop.runCallbacks { loop in FutureWakeUps(task, on: loop).pinger }.checkedReport()
  }

  static let async: LoopRow = { task in
    try EventLoop.run { loop in
      let before = JobCount(loop)
      let (wakeUps, wakeUp) = AsyncStream<Void>.makeStream()
      let pinger = Pinger(task) { _ in wakeUp.yield() }
      for await _ in wakeUps {
        if !pinger.answer() { break }
      }
      return try pinger.checkedReport(jobs: JobCount(loop).since(before))
    }
  }
}

/// Wake-ups that are promises: each that is answered makes the next.
private final class PromisedWakeUps {
  let pinger: Pinger
  private let resolver: Mailbox<Resolver<Void>>

  init(_ task: LoopTask) {
    let (first, seal) = Promise<Void>.pending()
    let resolver = Mailbox(seal)
    self.resolver = resolver
    pinger = Pinger(task) { _ in resolver.take()?.fulfill(()) }
    answer(first)
  }

  private func answer(_ wakeUp: Promise<Void>) {
    wakeUp.done { [self] in
      let (next, seal) = Promise<Void>.pending()
      resolver.put(seal)
      if pinger.answer() { answer(next) } else { resolver.take()?.fulfill(()) }
    }.cauterize()
  }
}

/// The same for futures.
private final class FutureWakeUps {
  let pinger: Pinger
  private let loop: EventLoop
  private let resolver: Mailbox<FutureResolver<Void, Never>>
  private var subscription: AnyCancellable?

  init(_ task: LoopTask, on loop: EventLoop) {
    self.loop = loop
    let (first, seal) = Future<Void, Never>.pending(on: loop)
    let resolver = Mailbox(seal)
    self.resolver = resolver
    pinger = Pinger(task) { _ in resolver.take()?(.success(())) }
    answer(first)
  }

  private func answer(_ wakeUp: Future<Void, Never>) {
    subscription = wakeUp.sink { [self] in
      let (next, seal) = Future<Void, Never>.pending(on: loop)
      resolver.put(seal)
      if pinger.answer() { answer(next) } else { resolver.take()?(.success(())) }
    }
  }
}

/// Hands what resolves the next wake-up to the other thread.
private final class Mailbox<Resolver: Sendable>: Sendable {
  private let resolver: Mutex<Resolver?>

  init(_ resolver: Resolver) { self.resolver = Mutex(resolver) }

  func put(_ resolver: Resolver) { self.resolver.withLock { $0 = resolver } }

  func take() -> Resolver? {
    resolver.withLock { resolver in
      defer { resolver = nil }
      return resolver
    }
  }
}

extension Pinger {
  fileprivate func checkedReport(jobs: JobCount = JobCount()) throws -> LoopReport {
    guard var report else { throw WrongWork("the loop ended before the other thread") }
    report.jobs = jobs
    return report
  }
}
