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

/// A place in the source: where a promise was made.
public struct CreationSite: Sendable, CustomStringConvertible {
  private let fileID: StaticString
  /// The line in the file.
  public let line: UInt

  /// Creates a site; the default is the place of the call.
  public init(file: StaticString = #fileID, line: UInt = #line) {
    fileID = file
    self.line = line
  }

  /// The module and file, as `#fileID` has it.
  public var file: String { "\(fileID)" }

  /// `Module/File.swift:12`.
  public var description: String { "\(fileID):\(line)" }
}
