#if NIO || NIOBootstraps || Everything
import NIOCore
import UV

/// The work of a loop that waits for its time, behind one timer of libuv's.
///
/// libuv's clock has whole milliseconds, and NIO's order goes by the nanosecond. So the timer only says that
/// something may be due. The heap says which work is due, and in which order.
final class Schedule {
  private unowned let loop: UV.EventLoop
  private var heap = ScheduleHeap()
  /// The work that was due when somebody looked last, and how much of it has been performed.
  private var due: [ScheduledWork] = []
  private var performed = 0
  private var timer = PendingRequest()
  /// The time that the timer is set to.
  private var armed: NIODeadline?
  private var isRunning = false
  /// Whether something is due at once and will be run after the callback that runs now.
  private var isQueued = false

  init(_ loop: UV.EventLoop) { self.loop = loop }

  /// Adds work, unless it was cancelled while it was on its way from another thread.
  func insert(_ work: ScheduledWork) {
    if work.isClaimed { return }
    heap.insert(work)
    if !isRunning { rearm() }
  }

  /// Takes out work that somebody has claimed.
  func remove(_ work: ScheduledWork) {
    heap.remove(work)
    if !isRunning { rearm() }
  }

  // MARK: Running

  private func rearm() {
    if !due.isEmpty { return queue() }
    guard let first = heap.first else { return disarm() }
    let now = NIODeadline.now()
    if first.deadline <= now { return queue() }
    if armed == first.deadline { return }
    disarm()
    armed = first.deadline
    let date = LoopClock.Instant.now.advanced(by: .nanoseconds((first.deadline - now).nanoseconds))
    timer = loop.sleep(until: date) { [self] result in
      // Another timer has taken the place of one that was cancelled.
      guard case .success = result else { return }
      armed = nil
      runDue()
    }
  }

  private func disarm() {
    guard armed != nil else { return }
    armed = nil
    timer.cancel()
  }

  private func queue() {
    if isQueued { return }
    isQueued = true
    loop.queueMicrotask { [self] in
      isQueued = false
      runDue()
    }
  }

  /// Runs what is due by now, as much as the turn has a budget for. Work that is scheduled meanwhile waits
  /// for the next time, even if it is due, so that I/O has its turn.
  private func runDue() {
    if isRunning { return }
    isRunning = true
    if due.isEmpty { takeDue() }
    while performed < due.count {
      performed += 1
      due[performed - 1].perform()
      if loop.payForWork() { break }
    }
    if performed == due.count { forgetDue() }
    isRunning = false
    rearm()
  }

  private func takeDue() {
    let now = NIODeadline.now()
    while let first = heap.first, first.deadline <= now {
      heap.remove(first)
      due.append(first)
    }
  }

  private func forgetDue() {
    due.removeAll(keepingCapacity: due.capacity <= 1024)
    performed = 0
  }

  /// Refuses everything, in its order.
  func end() {
    disarm()
    let rest = due[performed...]
    forgetDue()
    for work in rest { work.fail(.shutdown) }
    while !heap.isEmpty {
      for work in heap.removeAll() { work.fail(.shutdown) }
    }
  }
}
#endif
