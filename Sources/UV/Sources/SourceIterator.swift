/// The iterator of an event source's elements.
public struct SourceIterator<Element>: AsyncIteratorProtocol {
  let source: SourceCore<Element>

  /// The next element, or nil at the end.
  public nonisolated(nonsending) mutating func next(
    isolation: (any Actor)? = #isolation
  ) async throws(UVError) -> Element? {
    try await source.next(task: source.loop.currentTask)
  }
}
