/// A wait for an element of a source, which can be cancelled. A pending request has twice as many words.
@usableFromInline
package struct SourceWait {
  /// Nil if the wait has ended already.
  private let line: AnyWaiterQueue?
  private let generation: UInt

  /// A wait that has ended.
  @usableFromInline
  package init() { (line, generation) = (nil, 0) }

  /// - Parameter pending: What a source has returned, or somebody else's.
  @usableFromInline
  package init(_ pending: PendingRequest) {
    if let line = pending.target as? AnyWaiterQueue {
      (self.line, generation) = (line, pending.generation)
    } else {
      (line, generation) = (pending.isEmpty ? nil : ForeignLine(pending), 0)
    }
  }

  @usableFromInline
  package func cancel() { line?.cancel(slot: 0, generation: generation) }
}

/// The wait at a source that is made of something else.
private final class ForeignLine: AnyWaiterQueue {
  private let pending: PendingRequest

  init(_ pending: PendingRequest) { self.pending = pending }

  override func cancel(slot: UInt, generation: UInt) { pending.cancel() }
}
