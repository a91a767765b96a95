/// A promise that is resolved by hand, and may be told how to cancel what will do it.
@usableFromInline
final class Root: Node {
  @exclusivity(unchecked) @usableFromInline var onCancel: (() -> Void)?

  @inlinable
  init(_ file: StaticString, _ line: UInt, flags: Flags = .isRoot) {
    super.init(flags: flags)
    made(file, line)
  }

  @usableFromInline
  override func cancelOperation() { onCancel.take()?() }

  /// Lets go of what would have been cancelled, after the promise has been resolved.
  @inlinable @inline(__always)
  func forgetOperation() {
    if onCancel != nil { onCancel = nil }
  }
}

extension Node {
  /// Calls `body` with the outcome, at once if there is one.
  @inlinable
  final func pipe<T>(to body: @escaping (PMKResult<T>) -> Void) {
    _ = TapStep(.isInline, body) {
      TapStep<T>.run($0, $1)
      $0.fulfill(())
    }.following(self, "", 0)
  }
}
