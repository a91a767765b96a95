import UV

/// A promise that is resolved by hand, on whatever thread, and may know how to cancel what will do it.
///
/// It belongs to the loop that its thread had when it was made, and is used on that loop's thread only: a
/// resolver elsewhere sends the outcome there. Code that may resolve it holds a `RemoteTicket` for it, which
/// keeps the loop running.
@usableFromInline
final class Root: Node {
  @exclusivity(unchecked) @usableFromInline var onCancel: (() -> Void)?
  @exclusivity(unchecked) @usableFromInline package var waitingPlace: Int32 = -1

  @inlinable
  init(_ file: StaticString, _ line: UInt, flags: Flags = .isRoot) {
    super.init(flags: flags)
    made(file, line)
  }

  @usableFromInline
  override func cancelOperation(_ rest: inout CancelList) {
    if state != .pending { EventLoop.stopKeeping(self) }
    onCancel.take()?()
  }

  /// Whether the promise takes an outcome: it has none, and its loop hasn't ended.
  @inlinable @inline(__always)
  var isOpen: Bool { state == .pending && !flags.contains(.isAbandoned) }

  /// Whether its operation was cancelled before there was an outcome. To be asked while a ticket holds this.
  @inlinable
  var wasCancelled: Bool { state != .pending || flags.contains(.isCancelled) }

  /// Lets go of what is needed only while nobody has resolved this promise.
  @inlinable @inline(__always)
  func didResolve() {
    if onCancel != nil { onCancel = nil }
  }
}

extension Root: Answerable {
  @usableFromInline package var keepsLoopRunning: Bool { state == .pending }

  @usableFromInline package func forsake() {
    guard state == .pending, !flags.contains(.isAbandoned) else { return }
    reportLoss()
    flags.insert(.isAbandoned)
    onCancel = nil
    abandonContinuations()
  }
}
