/// The iterator over an event source's elements. It keeps the source alive.
public struct SourceIterator<Element>: AsyncIteratorProtocol {
  private let core: SourceCore<Element>
  private let source: any SourceDriver

  init(_ core: SourceCore<Element>, of source: any SourceDriver) {
    self.core = core
    self.source = source
  }

  /// Waits for the next element; nil at the end.
  ///
  /// - Throws: The error that ended the source, or `cancelled` if the task is cancelled.
  public nonisolated(nonsending) mutating func next(
    isolation: (any Actor)? = #isolation
  ) async throws(UVError) -> Element? {
    try await core.next(from: source, task: core.loop.currentTask)
  }
}
