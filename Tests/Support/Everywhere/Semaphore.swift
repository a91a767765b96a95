import Foundation

/// A semaphore that, unlike one of Dispatch's, a thread of the simulation can wait for, too.
///
/// Sound: the number of signals is guarded by the condition.
public final class Semaphore: @unchecked Sendable {
  private let condition = NSCondition()
  private var count = 0

  /// A semaphore that nobody has signalled yet.
  public init() {}

  /// Lets one thread go on.
  public func signal() {
    condition.lock()
    count += 1
    condition.signal()
    condition.unlock()
  }

  /// Waits for a signal.
  public func wait() {
    condition.lock()
    while count == 0 { condition.wait() }
    count -= 1
    condition.unlock()
  }
}
