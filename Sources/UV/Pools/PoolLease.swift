/// The use of a resource of a ``Pool``, until you give it back. Use it on the loop's thread.
///
/// A lease that is dropped without an end is a mistake of the program. Nobody knows then what state the
/// resource is in. So the pool closes it, lends another one, and counts that in ``PoolCounts/dropped``. You
/// may drop the last reference on any thread.
public final class PoolLease<Resource: PoolResource> {
  /// The resource that is lent. Don't use it after the lease's end.
  public let resource: Resource

  private let core: PoolCore<Resource>
  private let number: UInt
  private var hasEnded = false

  init(_ core: PoolCore<Resource>, _ entry: PoolEntry<Resource>) {
    self.core = core
    resource = entry.resource
    number = entry.number
  }

  deinit {
    if hasEnded { return }
    let number = number
    core.reference.perform { $0.leaseWasDropped(number) }
  }

  /// Gives the resource back for others. If it isn't ``PoolResource/isReusable``, it is closed. Calling this
  /// function again, or after ``discard()``, does nothing. Complexity: O(1).
  public func giveBack() { end(isBroken: false) }

  /// Closes the resource: after an error, its next user might get what was meant for this one. The pool
  /// creates another one when somebody asks.
  public func discard() { end(isBroken: true) }

  private func end(isBroken: Bool) {
    core.loop.requireOnLoop("giveBack()")
    if hasEnded { return }
    hasEnded = true
    core.giveBack(number, isBroken: isBroken)
  }
}
