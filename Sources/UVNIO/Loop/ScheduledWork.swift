#if NIO || NIOBootstraps || Everything
import NIOCore
import Synchronization

/// Something to do at a certain time. It is run, cancelled or refused, one of them, once: the claim that comes
/// first decides.
// Sound: only the loop's thread touches what changes, apart from the flag, which is atomic.
final class ScheduledWork: @unchecked Sendable {
  let deadline: NIODeadline
  /// The place in the order in which work was scheduled.
  let number: UInt64
  /// Nil once the work is done or cancelled: the program may keep the task's handle, which keeps this.
  private var run: (() -> Void)?
  private var refuse: ((EventLoopError) -> Void)?
  /// The place in the heap; -1 if it isn't there.
  var index = -1
  private let hasOwner = Atomic(false)

  init(
    _ deadline: NIODeadline, _ number: UInt64, run: @escaping () -> Void,
    refuse: @escaping (EventLoopError) -> Void
  ) {
    self.deadline = deadline
    self.number = number
    self.run = run
    self.refuse = refuse
  }

  /// Whether this comes before other work.
  func precedes(_ other: ScheduledWork) -> Bool {
    deadline == other.deadline ? number < other.number : deadline < other.deadline
  }

  /// Whether somebody has claimed the work: it runs, has run, or won't.
  var isClaimed: Bool { hasOwner.load(ordering: .acquiring) }

  /// Claims the work, from any thread: nobody else can run it, cancel it or refuse it from now on. Returns
  /// whether nobody has done so before.
  func claim() -> Bool { !hasOwner.exchange(true, ordering: .acquiringAndReleasing) }

  func perform() {
    guard claim() else { return }
    let run = run
    forget()
    run?()
  }

  func fail(_ error: EventLoopError) { if claim() { failClaimed(error) } }

  /// Reports the failure of work that the caller has claimed.
  func failClaimed(_ error: EventLoopError) {
    let refuse = refuse
    forget()
    refuse?(error)
  }

  /// Lets go of what the work holds, on the loop's thread, once it is claimed.
  func forget() {
    assert(isClaimed, "work is forgotten that may still run")
    run = nil
    refuse = nil
  }
}

/// Work by its time: a binary heap in which each entry knows its place, so that it can be taken out.
struct ScheduleHeap {
  private var entries: [ScheduledWork] = []

  var first: ScheduledWork? { entries.first }
  var isEmpty: Bool { entries.isEmpty }

  mutating func insert(_ work: ScheduledWork) {
    assert(work.index == -1, "work is scheduled twice")
    work.index = entries.count
    entries.append(work)
    moveUp(work.index)
  }

  mutating func remove(_ work: ScheduledWork) {
    let index = work.index
    guard index >= 0 else { return }
    assert(entries[index] === work, "work of another loop")
    let last = entries.removeLast()
    work.index = -1
    guard last !== work else { return }
    entries[index] = last
    last.index = index
    moveUp(index)
    moveDown(last.index)
  }

  mutating func removeAll() -> [ScheduledWork] {
    let all = entries.sorted { $0.precedes($1) }
    entries = []
    for work in all { work.index = -1 }
    return all
  }

  private mutating func moveUp(_ start: Int) {
    var index = start
    while index > 0 {
      let parent = (index - 1) / 2
      guard entries[index].precedes(entries[parent]) else { return }
      swap(index, parent)
      index = parent
    }
  }

  private mutating func moveDown(_ start: Int) {
    var index = start
    while true {
      let left = 2 * index + 1
      guard left < entries.count else { return }
      let right = left + 1
      let child = right < entries.count && entries[right].precedes(entries[left]) ? right : left
      guard entries[child].precedes(entries[index]) else { return }
      swap(index, child)
      index = child
    }
  }

  private mutating func swap(_ one: Int, _ other: Int) {
    entries.swapAt(one, other)
    entries[one].index = one
    entries[other].index = other
  }
}
#endif
