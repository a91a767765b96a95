/// The iterator of an event source's elements. It keeps the source.
public struct SourceIterator<Element>: AsyncIteratorProtocol {
  private let core: SourceCore<Element>
  private let source: any SourceDriver

  init(_ core: SourceCore<Element>, of source: any SourceDriver) {
    self.core = core
    self.source = source
  }

  /// The next element, or nil at the end.
  public nonisolated(nonsending) mutating func next(
    isolation: (any Actor)? = #isolation
  ) async throws(UVError) -> Element? {
    try await core.next(from: source, task: core.loop.currentTask)
  }
}
