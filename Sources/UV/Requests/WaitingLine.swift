/// Somebody in a ``WaitingLine``.
protocol LineWaiter: AnyObject {
  /// Whether it isn't known yet how the wait ends.
  var isWaiting: Bool { get }
}

/// The waiters for one thing, in the order in which they came. One that leaves stays in the queue, where
/// it is passed over, so that leaving costs the others nothing.
struct WaitingLine<Waiter: LineWaiter> {
  private var queue = Queue<Waiter>()
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  mutating func append(_ waiter: Waiter) {
    queue.append(waiter)
    count += 1
  }

  /// Takes out the one that has waited longest.
  mutating func popFirst() -> Waiter? {
    while let waiter = queue.popFirst() {
      guard waiter.isWaiting else { continue }
      count -= 1
      return waiter
    }
    return nil
  }

  /// Notes that one has left.
  mutating func oneLeft() {
    count -= 1
    guard queue.count > 32, queue.count > 2 * count else { return }
    for waiter in queue.takeAll() where waiter.isWaiting { queue.append(waiter) }
  }
}
