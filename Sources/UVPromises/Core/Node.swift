import UV

/// The one object behind a promise: its state and outcome, the handler that makes the outcome, and the queue entry that
/// runs the handler.
///
/// The class knows no types, though its users do: what is generic in it is a method, which is specialised where it is
/// called, while the methods that the runtime reaches through a class's tables, `deinit` among them, would not be.
///
/// Hot properties go without dynamic exclusivity checks, which cost more than the accesses: all of them are touched on
/// one thread, and none is passed `inout` to foreign code.
@usableFromInline
class Node: Continuation {
  @usableFromInline
  enum State: UInt8 {
    case pending, fulfilled, rejected
  }

  /// A function value without captures. While the node is pending, it runs the handler: it is called with this node
  /// and the settled promise that it waited for, nil if the wait was cancelled. Afterwards it destroys the outcome.
  @usableFromInline
  typealias Perform = (_ node: Node, _ source: Node?) -> Void

  @exclusivity(unchecked) @usableFromInline final var perform: Perform?
  /// The settled promise that the handler is about to read.
  @exclusivity(unchecked) @usableFromInline final var source: Node?
  /// The pending promise that this one waits for.
  // Sound: cleared by that promise when it settles or goes away.
  @exclusivity(unchecked) @usableFromInline final unowned(unsafe) var upstream: Node?
  @exclusivity(unchecked) @usableFromInline final var first: Continuation?
  @exclusivity(unchecked) @usableFromInline final var others: ContiguousArray<ContinuationEntry>?
  @exclusivity(unchecked) @usableFromInline final var firstTag: Int32 = 0
  @exclusivity(unchecked) @usableFromInline final var flags: Flags
  @exclusivity(unchecked) @usableFromInline final var state = State.pending
  @exclusivity(unchecked) @usableFromInline final var storage = OutcomeStorage()

  #if DEBUG
    @usableFromInline final var site: CreationSite?
  #endif

  @inlinable
  init(flags: Flags = [], perform: Perform? = nil) {
    self.flags = flags
    self.perform = perform
    super.init()
  }

  /// A promise that has its value from the start.
  @inlinable
  convenience init<T>(value: T, flags: Flags = []) {
    self.init(flags: flags)
    store(value)
    state = .fulfilled
  }

  deinit {
    if first != nil || others != nil { abandonContinuations() }
    if !flags.isDisjoint(with: [.isRoot, .isUntracked]) { reportLoss() }
    if state != .pending { perform?(self, nil) }
  }

  /// Remembers where the promise was made, in debug builds.
  @inlinable @inline(__always)
  final func made(_ file: StaticString, _ line: UInt) {
    #if DEBUG
      site = CreationSite(file: file, line: line)
    #endif
  }

  /// Cancels the operation that would have resolved this promise.
  @usableFromInline func cancelOperation() {}

  // MARK: Waiting for another promise

  /// The tag of a step: it waits for one promise and needs no number.
  @inlinable static var stepTag: Int32 { -1 }

  /// Has this step run once `source` settles; soon, if it has settled already.
  @inlinable @inline(__always)
  final func wait(for source: Node) {
    source.flags.insert(.isHandled)
    #if DEBUG
      requireLoop()
    #endif
    if source.state == .pending {
      upstream = source
      source.append(self, tag: Node.stepTag)
    } else {
      self.source = source
      Node.schedule(self)
    }
  }

  @usableFromInline
  override final func receive(_ source: Node, tag: Int32) {
    upstream = nil
    self.source = source
    Node.schedule(self)
  }

  @usableFromInline
  override final func abandon(tag: Int32, rest: inout ContiguousArray<ContinuationEntry>) {
    upstream = nil
    guard state == .pending else { return }
    flags.insert(.isAbandoned)
    moveContinuations(to: &rest)
  }

  @usableFromInline
  override final func moved(to source: Node, tag: Int32) { upstream = source }

  /// Runs the handler, or, once settled, looks whether a rejection has gone unnoticed.
  @usableFromInline
  override final func run() {
    if state == .pending {
      flags.remove(.isQueued)
      if let perform { perform(self, source.take()) }
    } else if state == .rejected, !flags.contains(.isHandled) {
      reportUnhandled()
    }
  }

  // MARK: Being waited for

  @inlinable @inline(__always)
  final func append(_ continuation: Continuation, tag: Int32) {
    if first == nil, others == nil {
      first = continuation
      firstTag = tag
    } else {
      appendFurther(continuation, tag)
    }
  }

  @usableFromInline
  final func appendFurther(_ continuation: Continuation, _ tag: Int32) {
    if others == nil { others = [] }
    others!.append(ContinuationEntry(continuation: continuation, tag: tag))
  }

  /// Tells the continuations, in the order in which they came. The state has been set.
  @inlinable @inline(__always)
  final func notify() {
    if let continuation = first {
      first = nil
      if firstTag == Node.stepTag {
        let step = unsafeDowncast(continuation, to: Node.self)
        step.upstream = nil
        step.source = self
        Node.schedule(step)
      } else {
        continuation.receive(self, tag: firstTag)
      }
    }
    if others != nil { notifyOthers() }
  }

  @usableFromInline
  final func notifyOthers() {
    for entry in others.take()! { entry.continuation.receive(self, tag: entry.tag) }
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
