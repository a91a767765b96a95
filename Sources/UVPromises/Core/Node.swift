import UV

/// The one object behind a promise: its state and outcome, the handler that makes the outcome, and the queue
/// entry that runs the handler.
///
/// The class knows no types, though its users do: what is generic in it is a method, which is specialised
/// where it is called, while the methods that the runtime reaches through a class's tables, `deinit` among
/// them, would not be.
///
/// Hot properties go without dynamic exclusivity checks, which cost more than the accesses: all of them are
/// touched on one thread, and none is passed `inout` to foreign code.
@usableFromInline
class Node: Continuation {
  @usableFromInline
  enum State: UInt8 {
    case pending, fulfilled, rejected
    /// Has a value, and was cancelled after that: steps that wait for it see the cancellation in place of the
    /// value.
    case revoked
  }

  /// A function value without captures. While the node is pending, it runs the handler: it is called with
  /// this node and the settled promise that it waited for. Afterwards it destroys the outcome, called with
  /// this node twice. That of a revoked promise captures the cancellation, and rejects any other node with
  /// it.
  @usableFromInline
  typealias Perform = (_ node: Node, _ source: Node) -> Void

  @exclusivity(unchecked) @usableFromInline final var perform: Perform?
  /// The promise that this one waits for.
  // Sound: cleared when that promise has notified this one, or goes away.
  @exclusivity(unchecked) @usableFromInline final unowned(unsafe) var upstream: Node?
  @exclusivity(unchecked) @usableFromInline final var first: Continuation?
  @exclusivity(unchecked) @usableFromInline final var others: ContiguousArray<ContinuationEntry>?
  @exclusivity(unchecked) @usableFromInline final var firstTag: Int32 = 0
  @exclusivity(unchecked) @usableFromInline final var flags: Flags
  @exclusivity(unchecked) @usableFromInline final var state = State.pending
  @exclusivity(unchecked) @usableFromInline final var form: Form = []
  /// The value or the error. Until then, it may hold a ``Handler`` or an ``Observer``.
  @exclusivity(unchecked) @usableFromInline final var storage = OutcomeStorage()

  #if DEBUG
  @usableFromInline final var site: CreationSite?
  /// The handler on a queue in which the promise was made.
  @usableFromInline final var maker = Node.runningHandler
  /// The loop on which the promise was made; nil if it was made in a handler on a queue, or elsewhere.
  @usableFromInline final var home = EventLoop.current?.executor
  #endif

  @inlinable
  init(flags: Flags = [], perform: Perform? = nil) {
    self.flags = flags
    self.perform = perform
    super.init()
  }

  deinit {
    if isAwaited { abandonContinuations() }
    if state != .pending {
      if flags.contains(.isUntracked) { reportLoss() }
      perform?(self, self)
    } else if form.contains(.holdsHandler) {
      dropHandler()
    } else if flags.contains(.isRoot) {
      reportLoss()
    }
  }

  /// Remembers where the promise was made, in debug builds.
  @inlinable @inline(__always)
  final func made(_ file: StaticString, _ line: UInt) {
    #if DEBUG
    site = CreationSite(file: file, line: line)
    #endif
  }

  /// Cancels the operation that would have resolved this promise. Promises that are cancelled with it are
  /// added to `rest`, so that a deep chain needs no deep stack.
  @usableFromInline func cancelOperation(_ rest: inout CancelList) {}

  // MARK: Waiting for another promise

  /// The tag of a step whose handler is a microtask, and that of one whose handler runs inline. Whatever else
  /// waits has a number, and is notified at once.
  @inlinable static var stepTag: Int32 { -1 }
  @inlinable static var inlineTag: Int32 { -2 }

  @inlinable
  final var tag: Int32 { flags.contains(.isInline) ? Node.inlineTag : Node.stepTag }

  /// Has this step run once `source` settles; soon, if it has settled already.
  @inlinable @inline(__always)
  final func wait(for source: Node) {
    #if DEBUG
    requireLoop(source)
    #endif
    upstream = source
    source.append(self, tag: tag)
    if source.state != .pending { source.notify() }
  }

  @usableFromInline
  override final func receive(_ source: Node, tag: Int32) {
    // A handler before it may have cancelled it.
    if upstream === source { InlineQueue.run(self, source) }
  }

  @usableFromInline
  override func abandon(tag: Int32, rest: inout ContiguousArray<ContinuationEntry>) {
    upstream = nil
    guard state == .pending else { return }
    flags.insert(.isAbandoned)
    moveContinuations(to: &rest)
  }

  @usableFromInline
  override func moved(to source: Node, tag: Int32) { upstream = source }

  /// Runs the handler, which is given `source`.
  @inlinable @inline(__always)
  final func resume(_ source: Node) {
    upstream = nil
    if state == .pending, let perform { perform(self, source) }
  }

  // MARK: Being waited for

  @inlinable @inline(__always)
  final func append(_ continuation: Continuation, tag: Int32) {
    assertOnLoop()
    flags.insert(.isHandled)
    if !isAwaited {
      first = continuation
      firstTag = tag
    } else {
      appendFurther(continuation, tag)
    }
  }

  @usableFromInline
  final func appendFurther(_ continuation: Continuation, _ tag: Int32) {
    if flags.contains(.isObserved) { unfoldObserver() }
    if others == nil { others = [] }
    others!.append(ContinuationEntry(continuation: continuation, tag: tag))
    if tag != Node.stepTag { flags.insert(.hasDirectContinuations) }
  }

  /// Notifies what waits for this promise, which has settled: steps by a microtask, the rest at once.
  @inlinable @inline(__always)
  final func notify() {
    if first != nil, others == nil, firstTag == Node.stepTag {
      if !flags.contains(.isQueued) { notifyStep() }
    } else {
      notifyAll()
    }
  }

  /// Notifies the only step that waits for this promise: by a microtask, or at once if it runs no handler.
  @usableFromInline
  final func notifyStep() {
    // Asked first, and in place: few steps are of the two kinds.
    if unsafeDowncast(first.unsafelyUnwrapped, to: Node.self).flags.isDisjoint(with: [
      .isForErrors, .isAdopter,
    ]) {
      return Node.enqueue(self)
    }
    let step = unsafeDowncast(first.take().unsafelyUnwrapped, to: Node.self)
    if step.runsNoHandler(after: self) { return step.resume(self) }
    first = step
    Node.enqueue(self)
  }

  /// Whether this step runs no handler, and none behind it does before a microtask.
  private func runsNoHandler(after source: Node) -> Bool {
    if flags.contains(.isForErrors) { return source.state == .fulfilled && !isAwaited }
    guard flags.contains(.isAdopter), others == nil, !flags.contains(.isObserved) else { return false }
    guard let first else { return true }
    // Promises that take over from each other would make the stack deep.
    return firstTag == Node.stepTag && !unsafeDowncast(first, to: Node.self).flags.contains(.isAdopter)
  }

  @usableFromInline
  final func notifyAll() {
    assert(state != .pending, "a pending promise tells its outcome")
    if first != nil, firstTag != Node.stepTag { first.take()!.receive(self, tag: firstTag) }
    if flags.contains(.hasDirectContinuations), others != nil { notifyDirectly() }
    if first != nil || others != nil {
      if !flags.contains(.isQueued) { Node.enqueue(self) }
    } else if state == .rejected, !flags.contains(.isHandled) {
      expectHandler()
    }
  }

  /// Notifies those among the further continuations that no microtask notifies.
  private func notifyDirectly() {
    flags.remove(.hasDirectContinuations)
    let all = others.take()!
    let waiting = ContiguousArray(all.filter { $0.tag == Node.stepTag })
    if !waiting.isEmpty { others = waiting }
    for entry in all where entry.tag != Node.stepTag { entry.continuation.receive(self, tag: entry.tag) }
  }

  /// The microtask: runs the handlers that wait for this promise, in the order in which they came, or looks,
  /// at the end of the turn, whether a rejection has gone unnoticed.
  @usableFromInline
  override final func run() {
    assertOnLoop()
    if flags.contains(.isQueued) {
      flags.remove(.isQueued)
      if first != nil { Node.run(first.take().unsafelyUnwrapped, after: self) }
      if others != nil { runOthers() }
    } else if state == .rejected, !flags.contains(.isHandled) {
      reportUnhandled()
    }
  }

  @usableFromInline
  override final class func run(queued microtask: consuming _Microtask) {
    let node = unsafeDowncast(consume microtask, to: Node.self)
    node.run()
    ChainNode.letGo(consume node)
  }

  /// Runs the only step, or the first of several, and lets go of it. If a microtask is to report its outcome, it is
  /// queued with the reference that this has: to count one up and another down takes longer than to queue it.
  private static func run(_ continuation: consuming Continuation, after source: Node) {
    let step = unsafeDowncast(consume continuation, to: Node.self)
    step.form.insert(.isRunning)
    step.resume(source)
    step.form.remove(.isRunning)
    if step.flags.contains(.isQueued) { queue(consume step) } else { ChainNode.letGo(consume step) }
  }

  private func runOthers() {
    for entry in others.take()! {
      if entry.tag == Node.stepTag {
        let step = unsafeDowncast(entry.continuation, to: Node.self)
        // One before it may have cancelled it.
        if step.upstream === self { step.resume(self) }
      } else {
        entry.continuation.receive(self, tag: entry.tag)
      }
    }
  }

  // MARK: Going away

  /// Whether no outcome can come any more.
  final var isHopeless: Bool {
    flags.contains(.isAbandoned)
      // The operation of a root is its resolver's, who may go on.
      || (flags.isSuperset(of: [.isGuarantee, .isCancelled]) && state == .pending && !flags.contains(.isRoot))
  }

  final func abandonContinuations() {
    var entries: ContiguousArray<ContinuationEntry> = []
    moveContinuations(to: &entries)
    ContinuationEntry.abandon(entries)
  }

  private func moveContinuations(to list: inout ContiguousArray<ContinuationEntry>) {
    if flags.contains(.isObserved) { unfoldObserver() }
    if let first = first.take() { list.append(ContinuationEntry(continuation: first, tag: firstTag)) }
    if let others = others.take() { list.append(contentsOf: others) }
  }
}
