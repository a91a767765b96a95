import UV

extension Node {
  final var creationSite: CreationSite? {
    #if DEBUG
    site
    #else
    nil
    #endif
  }

  /// Has the promise, just rejected and with no handler, looked at again when the turn ends.
  @usableFromInline
  final func expectHandler() {
    if let loop = EventLoop.current, !loop.isClosed {
      loop.enqueueAfterMicrotasks(self)
    } else {
      flags.insert(.isUntracked)
    }
  }

  final func reportUnhandled() {
    flags.insert(.isHandled)
    let error = failure
    if error.isCancelled { return }
    conf.unhandledRejectionHandler(UnhandledRejection(error: error, site: creationSite))
  }

  /// Reports a promise that goes away: pending, or rejected and untracked.
  final func reportLoss() {
    if state == .pending, flags.contains(.isRoot), flags.isDisjoint(with: [.isAbandoned, .isCancelled]) {
      conf.logHandler(
        flags.contains(.isGuarantee)
          ? .pendingGuaranteeDeallocated(madeAt: creationSite)
          : .pendingPromiseDeallocated(madeAt: creationSite))
    } else if state == .rejected, !flags.contains(.isHandled) {
      reportUnhandled()
    }
  }
}
