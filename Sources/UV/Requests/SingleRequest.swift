import CUV

/// A request that is answered once: with its answer, or with its cancellation if that comes first.
///
/// The loop's list of requests owns it while it is under way.
package class SingleRequest<Success>: ActiveRequest {
  package let operation: String
  private var done: Completion<Success>?

  init(_ loop: EventLoop, _ operation: String, _ done: @escaping Completion<Success>) {
    self.operation = operation
    self.done = done
    super.init(loop: loop)
  }

  /// The path, address or name that the operation is about, for its error.
  package var subject: String? { nil }

  override package func awaited(slot: UInt, generation: UInt) -> Awaited? {
    isAnswered ? nil : Awaited(operation: operation, subject: subject)
  }

  /// Whether the caller has been answered, or is about to be.
  var isAnswered: Bool { done == nil }

  /// Notifies the caller that the request cannot be begun, but not on its stack.
  func refuse(_ code: Int32) {
    loop.assertOnLoop()
    guard let done = done.take() else { return }
    let error = failure(code, operation, subject)
    loop.answer { done(.failure(error)) }
  }

  /// Notifies the caller of its cancellation, but not on its stack.
  func endCancelled() {
    loop.assertOnLoop()
    guard let done = done.take() else { return }
    let error = failure(UV_ECANCELED.rawValue, operation, subject)
    loop.queueMicrotask { done(.failure(error)) }
  }

  /// Answers the caller; false if it has been answered already.
  @discardableResult
  func answer(_ result: () -> Result<Success, UVError>) -> Bool {
    guard let done = done.take() else { return false }
    done(result())
    return true
  }
}

/// Completions that wait for the same thing, each of which may be cancelled.
package struct Waiters<Success> {
  private var entries = Queue<(number: UInt, done: Completion<Success>)>()
  private var lastNumber: UInt = 0

  package init() {}

  package var isEmpty: Bool { entries.isEmpty }

  /// Adds a completion, and returns the number by which it is known from now on.
  package mutating func add(_ done: @escaping Completion<Success>) -> UInt {
    lastNumber &+= 1
    entries.append((lastNumber, done))
    return lastNumber
  }

  package func contains(_ number: UInt) -> Bool { entries.contains { $0.number == number } }

  /// Takes one completion out; nil if it has been taken out already.
  package mutating func take(_ number: UInt) -> Completion<Success>? {
    guard let index = entries.firstIndex(where: { $0.number == number }) else { return nil }
    return entries.remove(at: index).done
  }

  /// Takes the one out that has waited longest; nil if there is none.
  package mutating func takeFirst() -> Completion<Success>? { entries.popFirst()?.done }

  /// Takes all out, in the order in which they came.
  package mutating func takeAll() -> [Completion<Success>] { entries.takeAll().map(\.done) }
}

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
