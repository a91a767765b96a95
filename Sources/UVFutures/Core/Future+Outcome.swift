#if canImport(Combine) || Futures || Everything
import UV

extension Future {
  /// How the future ended, nil until then.
  @inlinable
  var outcome: Result<Output, Failure>? { isSettled ? outcomePointer.pointee : nil }

  /// Where that is.
  @inlinable @inline(__always)
  var outcomePointer: UnsafeMutablePointer<Result<Output, Failure>> {
    storage.pointer(to: Result<Output, Failure>.self)
  }

  /// Puts the outcome into the empty storage, and notes how to destroy it, if that takes anything.
  @inlinable @inline(__always)
  func store(_ result: Result<Output, Failure>) {
    storage.store(result)
    isSettled = true
    if OutcomeStorage.forgets(Result<Output, Failure>.self) { return }
    destroyOutcome = { _ = $0.storage.take(Result<Output, Failure>.self) }
  }
}
#endif
