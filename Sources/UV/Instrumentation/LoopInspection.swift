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
