import UV

/// The one object behind a promise: the promise's state, the handler that makes it, and the queue entry that runs
/// the handler, whatever the type of the value.
///
/// Hot properties go without dynamic exclusivity checks, which cost more than the accesses: all of them are touched
/// on one thread, and none is passed `inout` to foreign code.
@usableFromInline
class AnyNode: Continuation {
  @usableFromInline
  enum State: UInt8 {
    case pending, fulfilled, rejected
  }

  @usableFromInline
  struct Flags: OptionSet {
    @usableFromInline var rawValue: UInt16
    @inlinable init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Somebody has asked for the outcome, so a rejection is not unhandled.
    @inlinable static var isHandled: Flags { Flags(rawValue: 1) }
    /// Takes its result from the promise that its handler returned.
    @inlinable static var isAdopter: Flags { Flags(rawValue: 2) }
    /// Its handler runs on the stack of whoever resolves the promise before it.
    @inlinable static var isInline: Flags { Flags(rawValue: 4) }
    /// Was made to be resolved by hand, so its loss while pending is worth a report.
    @inlinable static var isRoot: Flags { Flags(rawValue: 8) }
    /// Belongs to a guarantee, which cannot be rejected.
    @inlinable static var isGuarantee: Flags { Flags(rawValue: 16) }
    /// Waits in the queue of the loop, or in that of the inline handlers.
    @inlinable static var isQueued: Flags { Flags(rawValue: 32) }
    /// Was rejected where there was no loop to look at the end of the turn whether anybody minds.
    @inlinable static var isUntracked: Flags { Flags(rawValue: 64) }
    /// A promise that it waited for went away unresolved.
    @inlinable static var isAbandoned: Flags { Flags(rawValue: 128) }
    /// Its handler is for cancellations too.
    @inlinable static var coversCancellation: Flags { Flags(rawValue: 256) }
    /// Waits for several promises, through a gatherer.
    @inlinable static var isGathering: Flags { Flags(rawValue: 512) }
  }

  /// Runs the handler: called with this node and the settled promise that it waited for, nil if the wait was
  /// cancelled. A function value without captures, because a method of a generic class, reached through its table,
  /// would be the unspecialised one.
  @usableFromInline
  typealias Perform = (_ node: AnyNode, _ source: AnyNode?) -> Void

  @exclusivity(unchecked) @usableFromInline final var perform: Perform?
  /// The settled promise that the handler is about to read.
  @exclusivity(unchecked) @usableFromInline final var source: AnyNode?
  // Sound: cleared by that promise when it settles or goes away.
  /// The pending promise that this one waits for.
  @exclusivity(unchecked) @usableFromInline final unowned(unsafe) var upstream: AnyNode?
  @exclusivity(unchecked) @usableFromInline final var first: Continuation?
  @exclusivity(unchecked) @usableFromInline final var firstTag = 0
  @exclusivity(unchecked) @usableFromInline final var others: ContiguousArray<ContinuationEntry>?
  @exclusivity(unchecked) @usableFromInline final var error: (any Error)?
  @exclusivity(unchecked) @usableFromInline final var state = State.pending
  @exclusivity(unchecked) @usableFromInline final var flags: Flags

  #if DEBUG
    @usableFromInline final var site: CreationSite?
  #endif

  @inlinable
  init(flags: Flags, perform: Perform?) {
    self.flags = flags
    self.perform = perform
    super.init()
  }

  /// Remembers where the promise was made, in debug builds.
  @inlinable @inline(__always)
  final func made(_ file: StaticString, _ line: UInt) {
    #if DEBUG
      site = CreationSite(file: file, line: line)
    #endif
  }

  deinit {
    if first != nil || others != nil { abandonContinuations() }
    if !flags.isDisjoint(with: [.isRoot, .isUntracked]) { reportLoss() }
  }

  /// Cancels the operation that would have resolved this promise.
  @usableFromInline func cancelOperation() {}

  // MARK: Waiting for another promise

  /// The tag of a step: it waits for one promise and needs no number.
  @inlinable static var stepTag: Int { -1 }

  /// Has this step run once `source` settles; soon, if it has settled already.
  @inlinable @inline(__always)
  final func wait(for source: AnyNode) {
    source.flags.insert(.isHandled)
    #if DEBUG
      requireLoop()
    #endif
    if source.state == .pending {
      upstream = source
      source.append(self, tag: AnyNode.stepTag)
    } else {
      self.source = source
      schedule()
    }
  }

  /// As `receive`, without a look into the method table.
  @inlinable @inline(__always)
  final func resume(_ source: AnyNode) {
    upstream = nil
    self.source = source
    schedule()
  }

  @usableFromInline
  override final func receive(_ source: AnyNode, tag: Int) { resume(source) }

  @usableFromInline
  override final func abandon(tag: Int, rest: inout ContiguousArray<ContinuationEntry>) {
    upstream = nil
    guard state == .pending else { return }
    flags.insert(.isAbandoned)
    moveContinuations(to: &rest)
  }

  @usableFromInline
  override final func moved(to source: AnyNode, tag: Int) { upstream = source }

  /// Queues the handler.
  @usableFromInline
  final func schedule() {
    flags.insert(.isQueued)
    if flags.contains(.isInline) {
      InlineQueue.run(self)
    } else {
      enqueueOnCurrentLoop(self)
    }
  }

  /// Runs the handler, or, once settled, looks whether a rejection has gone unnoticed.
  @usableFromInline
  override final func run() {
    if state == .pending {
      flags.remove(.isQueued)
      let perform = self.perform
      self.perform = nil
      perform?(self, source.take())
    } else if state == .rejected, !flags.contains(.isHandled) {
      reportUnhandled()
    }
  }

  // MARK: Being waited for

  @inlinable @inline(__always)
  final func append(_ continuation: Continuation, tag: Int) {
    if first == nil, others == nil {
      first = continuation
      firstTag = tag
    } else {
      appendFurther(continuation, tag)
    }
  }

  @usableFromInline
  final func appendFurther(_ continuation: Continuation, _ tag: Int) {
    if others == nil { others = [] }
    others!.append(ContinuationEntry(continuation: continuation, tag: tag))
  }

  /// Tells the continuations, in the order in which they came. The state has been set.
  @inlinable @inline(__always)
  final func notify() {
    if let continuation = first.take() {
      if firstTag == AnyNode.stepTag {
        unsafeDowncast(continuation, to: AnyNode.self).resume(self)
      } else {
        continuation.receive(self, tag: firstTag)
      }
    } else if state == .rejected, !flags.contains(.isHandled) {
      expectHandler()
    }
    if others != nil { notifyOthers() }
  }

  @usableFromInline
  final func notifyOthers() {
    for entry in others.take()! { entry.continuation.receive(self, tag: entry.tag) }
  }

  /// Rejects the promise, unless it has been settled.
  @usableFromInline
  final func reject(_ error: any Error) {
    guard state == .pending else { return }
    self.error = error
    state = .rejected
    perform = nil
    notify()
  }

  // MARK: Going away

  private func abandonContinuations() {
    var entries: ContiguousArray<ContinuationEntry> = []
    moveContinuations(to: &entries)
    ContinuationEntry.abandon(entries)
  }

  private func moveContinuations(to list: inout ContiguousArray<ContinuationEntry>) {
    if let first = first.take() { list.append(ContinuationEntry(continuation: first, tag: firstTag)) }
    if let others = others.take() { list.append(contentsOf: others) }
  }
}
