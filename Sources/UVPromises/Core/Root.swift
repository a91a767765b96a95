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
