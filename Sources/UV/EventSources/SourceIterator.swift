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
