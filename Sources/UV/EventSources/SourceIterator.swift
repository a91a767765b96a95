/// The iterator over an event source's elements. It keeps the source alive.
public struct SourceIterator<Element>: AsyncIteratorProtocol {
  private let core: WaiterQueue<Element>
  private let source: any SourceDriver
  /// The source, if elements may be there that nobody has asked for.
  @usableFromInline let custom: CustomSource<Element>?
  /// The task that iterates over it.
  @usableFromInline var task: LoopTaskBase?

  init(_ core: WaiterQueue<Element>, of source: any SourceDriver) {
    (self.core, self.source, custom) = (core, source, nil)
  }

  init(_ source: CustomSource<Element>) {
    (core, self.source, custom) = (source.source, source, source)
  }

  /// The next element, or nil at the end. It returns at once if there is one that nobody has asked for.
  ///
  /// - Throws: The error that ended the source, or `cancelled` if the task is cancelled.
  @inlinable
  @inline(__always)
  public nonisolated(nonsending) mutating func next(
    isolation: (any Actor)? = #isolation
  ) async throws(UVError) -> Element? {
    // It is inlined for the same reasons as a stream's.
    if let custom {
      if let outcome = custom.outcomeIfReady(for: &task) { return try outcome.get() }
      if let task {
        let outcome = await withContinuation { custom.wait($0, task) }
        task.didWait()
        return try outcome.value.get()
      }
    }
    return try await nextOfAnySource().get()
  }

  @usableFromInline
  nonisolated(nonsending) func nextOfAnySource() async -> Result<Element?, UVError> {
    await core.next(from: source, task: core.loop.currentTask)
  }
}

/// Keeps a source and its loop going while a reader waits, and notifies the source if the loop ends first.
final class SourceStay: ActiveRequest {
  private let operation: String
  private var onLoopEnd: (() -> Void)?

  /// - Parameter operation: The name of the source's operation, for the loop's snapshot.
  init(_ loop: EventLoop, _ operation: String, _ onLoopEnd: @escaping () -> Void) {
    (self.operation, self.onLoopEnd) = (operation, onLoopEnd)
    super.init(loop: loop)
    loop.requests.insert(self)
    loop.beginWork()
  }

  func end() {
    guard onLoopEnd.take() != nil else { return }
    loop.endWork()
    loop.requests.remove(self)
  }

  override func awaited(slot: UInt, generation: UInt) -> Awaited? { Awaited(operation: operation) }

  override func cancel(slot: UInt, generation: UInt) {
    guard let onLoopEnd = onLoopEnd.take() else { return }
    loop.endWork()
    loop.requests.remove(self)
    loop.queueMicrotask(onLoopEnd)
  }
}

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
