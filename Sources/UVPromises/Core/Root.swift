/// A promise that is resolved by hand, and may be told how to cancel what will do it.
@usableFromInline
final class Root<T>: Node<T> {
  @exclusivity(unchecked) @usableFromInline var onCancel: (() -> Void)?

  @inlinable
  init(_ file: StaticString, _ line: UInt, flags: Flags = .isRoot) {
    super.init(flags: flags)
    made(file, line)
  }

  @usableFromInline
  override func cancelOperation() { onCancel.take()?() }
}

extension Node {
  /// Calls `body` with the outcome, at once if there is one.
  @inlinable
  final func pipe(to body: @escaping (PMKResult<T>) -> Void) {
    let step: Step<PMKResult<T>, Void, Void> = step(.inline, "", 0, body) {
      let step = unsafeDowncast($0, to: Step<PMKResult<T>, Void, Void>.self)
      try? step.takeBody()(AnyNode.outcome(of: $1))
      step.fulfill(())
    }
    _ = step
  }
}
