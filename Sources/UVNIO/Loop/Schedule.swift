import NIOCore
import UV

/// The work of a loop that waits for its time, behind one timer of libuv's.
///
/// libuv's clock has whole milliseconds, and NIO's order goes by the nanosecond. So the timer only says that something may be
/// due. The heap says which work is due, and in which order.
final class Schedule {
  private unowned let loop: UV.EventLoop
  private var heap = ScheduleHeap()
  private var callbacks: [UInt64: ScheduledWork] = [:]
  private var timer = PendingRequest()
  /// The time that the timer is set to.
  private var armed: NIODeadline?
  private var isRunning = false
  /// Whether something is due at once and will be run after the callback that runs now.
  private var isQueued = false

  init(_ loop: UV.EventLoop) { self.loop = loop }

  func insert(_ work: ScheduledWork) {
    heap.insert(work)
    if !isRunning { rearm() }
  }

  /// Takes out work that somebody has claimed.
  func remove(_ work: ScheduledWork) {
    heap.remove(work)
    work.forget()
    if !isRunning { rearm() }
  }

  // MARK: Callbacks, which are known by their number

  func insertCallback(_ work: ScheduledWork) {
    callbacks[work.number] = work
    insert(work)
  }

  /// Forgets a callback that runs now.
  func callbackRuns(_ number: UInt64) { callbacks[number] = nil }

  func cancelCallback(_ number: UInt64) {
    guard let work = callbacks.removeValue(forKey: number) else { return }
    heap.remove(work)
    work.fail(.cancelled)
    if !isRunning { rearm() }
  }

  // MARK: Running

  private func rearm() {
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

  /// Runs what is due by now. Work that is scheduled meanwhile waits for the next time, even if it is due, so that I/O has its
  /// turn.
  private func runDue() {
    if isRunning { return }
    isRunning = true
    let now = NIODeadline.now()
    var due: [ScheduledWork] = []
    while let first = heap.first, first.deadline <= now {
      heap.remove(first)
      due.append(first)
    }
    for work in due { work.perform() }
    isRunning = false
    rearm()
  }

  /// Refuses everything, in its order.
  func end() {
    disarm()
    callbacks = [:]
    while !heap.isEmpty {
      for work in heap.removeAll() { work.fail(.shutdown) }
    }
  }
}
