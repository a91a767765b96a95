import UV

/// A promise that is resolved by hand, on whatever thread, and may be told how to cancel what will do it.
///
/// It belongs to the loop that its thread had when it was made, and is used on that loop's thread only: a resolver
/// elsewhere sends the outcome there. While it is pending and somebody holds a resolver, it keeps the loop running.
@usableFromInline
final class Root: Node {
  @exclusivity(unchecked) @usableFromInline var onCancel: (() -> Void)?
  /// Where the loop has noted that this is to be resolved.
  @exclusivity(unchecked) @usableFromInline var place = AnswerPlace()
  /// Whether this was noted, and has not been resolved since.
  @exclusivity(unchecked) @usableFromInline var isOpen = false

  @inlinable
  init(_ file: StaticString, _ line: UInt, flags: Flags = .isRoot) {
    super.init(flags: flags)
    made(file, line)
  }

  deinit {
    if isOpen { OpenAnswers.withLock(depart)?() }
  }

  @usableFromInline
  override func cancelOperation() {
    if state != .pending { close() }
    onCancel.take()?()
  }

  // MARK: Resolving

  /// Has the loop of this thread wait for somebody to resolve this promise, just made.
  ///
  /// - Returns: What a resolver is to hold.
  @usableFromInline
  func open() -> AnswerRight {
    isOpen = true
    return EventLoop.open(self, &place)
  }

  /// Lets go of what is needed only while nobody has resolved this promise.
  @inlinable @inline(__always)
  func didResolve() {
    close()
    if onCancel != nil { onCancel = nil }
  }

  @inlinable @inline(__always)
  func close() {
    if !isOpen { return }
    isOpen = false
    place.close()
  }

  // MARK: Going away

  private func depart() -> (() -> Void)? {
    guard place.exists else { return nil }
    let depart = place.leave(self)
    // Whoever has a pointer to this, on the loop's thread, looks at this first.
    state = .gone
    return depart
  }

  /// Settles this promise in place of those who may resolve it, and lets go of the one that waits for it. To be called on
  /// the loop's thread within `OpenAnswers.withLock`, since it may be going away elsewhere.
  ///
  /// - Returns: What waited, and what cancels the operation; nil if nobody else can have the last reference to this.
  func giveUp(_ error: any Error) -> (waiting: ContinuationEntry?, onCancel: (() -> Void)?)? {
    guard isOpen, place.exists else { return nil }
    if flags.contains(.isGuarantee) {
      flags.insert(.isCancelled)
      return (nil, onCancel.take())
    }
    // It stays open for its `deinit`, which may be about to ask.
    place.close()
    place = AnswerPlace()
    let waiting = takeContinuations().first
    store(error as any Error)
    state = .rejected
    return (waiting, onCancel.take())
  }
}

extension Root: Answerable {
  package func forsake() -> (() -> Void)? {
    place = AnswerPlace()
    let isGuarantee = flags.contains(.isGuarantee)
    let isLoss = !flags.contains(.isCancelled)
    flags.insert(.isAbandoned)
    let (waiting, onCancel, site) = (takeContinuations(), onCancel.take(), creationSite)
    return {
      _ = onCancel
      ContinuationEntry.abandon(waiting)
      if isLoss { LogEvent.report(isGuarantee: isGuarantee, site) }
    }
  }
}
