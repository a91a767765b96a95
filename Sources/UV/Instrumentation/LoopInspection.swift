import CUV

/// Looks at a loop for a snapshot.
struct LoopInspection {
  private let loop: EventLoop
  private let limit: Int
  /// Milliseconds on libuv's clock. It is read now: the loop's time is old if a callback takes long.
  private let now = uv_hrtime() / 1_000_000

  init(_ loop: EventLoop, limit: Int) {
    require(limit >= 0, "snapshot(limit:): a limit is 0 or more")
    self.loop = loop
    self.limit = limit
  }

  func snapshot() -> LoopSnapshot {
    var snapshot = LoopSnapshot()
    snapshot.name = loop.name
    snapshot.isRunning = loop.isRunning
    snapshot.isStopping = loop.isStopRequested && !loop.isClosed
    snapshot.isShuttingDown = loop.isShuttingDown
    snapshot.microtaskCount = loop.microtasks.state.pointee.count
    snapshot.tasks = tasks()
    snapshot.handles = handles()
    (snapshot.poolRequests, snapshot.requests) = requests()
    snapshot.timers = timers()
    return snapshot
  }

  private func age(since start: UInt64) -> Duration { .milliseconds(now > start ? now - start : 0) }

  private func time(until deadline: UInt64) -> Duration {
    .milliseconds(deadline > now ? Int64(clamping: deadline - now) : 0)
  }

  // MARK: Tasks

  private func tasks() -> SnapshotList<TaskSnapshot> {
    let caller = cuv_current_task()
    var oldest = OldestEntries<LoopTaskBase>(limit: limit)
    loop.tasks.forEach { task in
      oldest.add(task, since: task.isRun(by: caller) ? 0 : task.wait.isEmpty ? task.start : task.waitStart)
    }
    return oldest.list { task in
      let wait = task.isRun(by: caller) ? nil : task.wait.awaited
      let state: TaskSnapshot.State =
        if task.isRun(by: caller) {
          .running
        } else if wait != nil {
          .waiting
        } else {
          task.wait.isEmpty ? .elsewhere : .ready
        }
      return TaskSnapshot(
        name: loop.name(of: task), place: task.origin.description, age: age(since: task.start), state: state,
        isCancelled: task.isCancelled, wait: wait.map { describe($0, since: task.waitStart) })
    }
  }

  // MARK: Requests

  private func requests() -> (pool: SnapshotList<WaitSnapshot>, others: SnapshotList<WaitSnapshot>) {
    var pool = OldestEntries<ActiveRequest>(limit: limit)
    var others = OldestEntries<ActiveRequest>(limit: limit)
    loop.requests.forEach { request in
      if request.isOnPool {
        pool.add(request, since: request.start)
      } else {
        others.add(request, since: request.start)
      }
    }
    func describe(_ request: ActiveRequest) -> WaitSnapshot {
      // Nobody waits any more for a request that has been cancelled.
      let awaited = request.awaited(slot: 0, generation: 0) ?? Awaited(operation: "cancelled work")
      return self.describe(awaited, since: request.start)
    }
    return (pool.list(describe), others.list(describe))
  }

  private func describe(_ awaited: Awaited, since start: UInt64) -> WaitSnapshot {
    let about = [subject(of: awaited), awaited.subject].compactMap { $0 }
    var wait = WaitSnapshot(
      operation: awaited.operation, subject: about.isEmpty ? nil : about.joined(separator: ", "),
      age: age(since: start), remaining: awaited.deadline.map { time(until: $0) })
    wait.fileDescriptor = (awaited.object as? Handle)?.block.snapshot(now: now).fileDescriptor
    return wait
  }

  /// The subject of a wait's handle, such as `127.0.0.1:6379 ← 127.0.0.1:50112`.
  private func subject(of awaited: Awaited) -> String? {
    switch awaited.object {
    case let handle as Handle:
      let arrow =
        switch awaited.operation {
        case "read", "recv", "udp_recv": "←"
        case "write", "shutdown", "drain", "udp_send": "→"
        default: "↔"
        }
      return handle.block.snapshot(now: now).subject(arrow)
    case let directory as Directory: return directory.path.string
    default: return nil
    }
  }

  // MARK: Handles and timers

  private func handles() -> SnapshotList<HandleSnapshot> {
    var oldest = OldestEntries<HandleBlock>(limit: limit)
    loop.forEachHandle { oldest.add($0, since: $0.header.pointee.start) }
    return oldest.list { $0.snapshot(now: now) }
  }

  private func timers() -> SnapshotList<TimerSnapshot> {
    var timers: [(deadline: UInt64, keepsLoopRunning: Bool)] = []
    for (wheel, keepsLoopRunning) in [(loop.timers, true), (loop.timers.quiet, false)] {
      timers += (wheel?.deadlines(atMost: limit) ?? []).map { ($0, keepsLoopRunning) }
    }
    timers.sort { $0.deadline < $1.deadline }
    let count = loop.timers.count + (loop.timers.quiet?.count ?? 0)
    return SnapshotList(
      timers.prefix(limit).map {
        TimerSnapshot(dueIn: time(until: $0.deadline), keepsLoopRunning: $0.keepsLoopRunning)
      },
      count: count)
  }
}

extension EventLoop {
  /// Everything that the loop does and waits for now.
  ///
  /// Call it on the loop's thread. From another thread, use `try await executor.submit { $0.snapshot() }`,
  /// which waits until the loop has time; if a callback never returns, that is never.
  ///
  /// It costs nothing until it is called. A task notes when it began to wait, and a handle and a request when
  /// they were made.
  ///
  /// Complexity: O(*n*) in the number of tasks, handles and requests, some nanoseconds for each. Only those
  /// that are listed are looked at closely, which takes some microseconds for each, system calls for its
  /// addresses included.
  ///
  /// - Parameter limit: How many tasks to list, how many handles, and so on; 0 or more. The others are
  ///   counted.
  ///
  /// The corresponding libuv function is `uv_print_all_handles`.
  public func snapshot(limit: Int = 100) -> LoopSnapshot {
    requireOnLoop()
    return LoopInspection(self, limit: limit).snapshot()
  }

  /// Prints a snapshot of the loop to the standard error whenever the process receives a signal.
  ///
  /// ```swift
  /// try loop.printSnapshot(on: .user1)  // kill -USR1 PID shows what the loop waits for
  /// ```
  ///
  /// Without this line, `SIGUSR1` and `SIGQUIT` end the process. A loop whose callback doesn't return prints
  /// nothing.
  ///
  /// - Parameters:
  ///   - signal: The signal to watch for.
  ///   - limit: How much to list; see ``snapshot(limit:)``.
  /// - Returns: The watcher of the signal. It doesn't keep the loop running, and needn't be kept. Close it to
  ///   print no more.
  /// - Throws: `invalidArgument` for a signal that can't be watched, and `loopClosed` after ``shutdown()``.
  ///
  /// The corresponding libuv functions are `uv_signal_start` and `uv_print_all_handles`.
  @discardableResult
  public func printSnapshot(on signal: Signal, limit: Int = 100) throws(UVError) -> SignalWatcher {
    let watcher = try signals(signal)
    watcher.keepsLoopRunning = false
    watcher.start { [unowned watcher] result in
      // One text in one call, so that the lines of several loops stay apart.
      if case .success(_?) = result { printToStandardError("\(watcher.loop.snapshot(limit: limit))") }
    }
    return watcher
  }
}

extension EventLoop {
  /// How many requests of the loop the thread pool has, and for how long it has had the oldest.
  package var poolUse: (count: Int, longest: Duration) {
    var (count, oldest) = (0, UInt64.max)
    requests.forEach { request in
      guard request.isOnPool else { return }
      count += 1
      oldest = min(oldest, request.start)
    }
    let now = uv_hrtime() / 1_000_000
    return (count, .milliseconds(now > oldest ? now - oldest : 0))
  }
}
