import UV

/// Waits for several promises on behalf of one: the work of `when` and `race`. It knows no types; the promise
/// that it settles reads the values when the gathering is over.
@usableFromInline
final class Gatherer: Continuation {
  /// When the gathering is over.
  @usableFromInline
  enum Rule {
    /// With the first error, else when all have values.
    case allFulfilled
    /// When all have an outcome.
    case allSettled
    /// With the first outcome.
    case first
    /// With the first value, else when none is left.
    case firstFulfilled
  }

  @usableFromInline
  struct Component {
    /// The promise, once settled.
    @usableFromInline var settled: Node?
    // Sound: cleared when that promise settles or goes away.
    @usableFromInline unowned(unsafe) var pending: Node?

    @inlinable
    init(settled: Node?, pending: Node?) {
      self.settled = settled
      self.pending = pending
    }
  }

  @exclusivity(unchecked) @usableFromInline var components: ContiguousArray<Component> = []
  /// The promise that is settled at the end; nil once that has been seen to.
  @exclusivity(unchecked) @usableFromInline var result: Node?
  /// The promise that decided the matter, where one did.
  @exclusivity(unchecked) @usableFromInline var winner: Node?
  /// How many have no outcome yet, and how many of those will have none.
  @exclusivity(unchecked) @usableFromInline var remaining = 0
  @exclusivity(unchecked) private var lost = 0
  @usableFromInline let rule: Rule
  /// Whether those that are not needed any more are cancelled.
  @usableFromInline let cancelsRest: Bool

  @inlinable
  init(_ rule: Rule, cancelsRest: Bool = false) {
    self.rule = rule
    self.cancelsRest = cancelsRest
    super.init()
  }

  /// Adds a promise to wait for. Nothing is decided before ``begin()``.
  @inlinable
  func add(_ node: Node) {
    node.flags.insert(.isHandled)
    if node.state == .pending {
      remaining += 1
      node.append(self, tag: Int32(truncatingIfNeeded: components.count))
      components.append(Component(settled: nil, pending: node))
    } else {
      components.append(Component(settled: node, pending: nil))
    }
  }

  /// Looks whether the gathering is over from the start, after the last ``add(_:)``.
  @usableFromInline
  func begin(_ result: Node) {
    self.result = result
    for component in components {
      if let settled = component.settled, decides(settled) { return finishAtOnce(settled) }
    }
    if remaining == 0, rule != .first { finishAtOnce(nil) }
  }

  /// Settles the result, just made, for which nobody waits yet.
  private func finishAtOnce(_ winner: Node?) {
    guard let result = result.take() else { return }
    leavePending(cancelling: cancelsRest)
    self.winner = winner
    result.resume(result)
  }

  private func decides(_ node: Node) -> Bool {
    switch rule {
    case .allFulfilled: node.state == .rejected
    case .allSettled: false
    case .first: true
    case .firstFulfilled: node.state == .fulfilled
    }
  }

  @usableFromInline
  override func receive(_ source: Node, tag: Int32) {
    components[Int(tag)] = Component(settled: source, pending: nil)
    remaining -= 1
    if decides(source) {
      finish(source)
    } else if remaining == 0 {
      finish(nil)
    } else if remaining == lost, let result = result.take() {
      ContinuationEntry.abandon(result)
    }
  }

  /// Has the result settled: as `winner`, or from all of the components.
  private func finish(_ winner: Node?) {
    guard let result = result.take() else { return }
    leavePending(cancelling: cancelsRest)
    self.winner = winner
    result.schedule()
  }

  /// Stops waiting for those that are pending, and cancels those that nobody else waits for.
  func leavePending(cancelling: Bool) {
    guard remaining > 0 else { return }
    remaining = 0
    for index in components.indices where components[index].pending != nil {
      OpenAnswers.withLock { leave(index, cancelling: cancelling) }?()
    }
  }

  /// Stops waiting for one that may be going away on another thread, and returns what cancels it.
  private func leave(_ index: Int, cancelling: Bool) -> (() -> Void)? {
    guard let pending = components[index].pending else { return nil }
    components[index].pending = nil
    if pending.state == .gone { return nil }
    pending.remove(self, tag: Int32(index))
    if !cancelling || pending.isAwaited { return nil }
    if let (_, onCancel) = (pending as? Root)?.giveUp(PMKError.cancelled) { return onCancel }
    return { pending.cancel() }
  }

  /// Cancels those that nobody else waits for, and goes on waiting for all.
  func cancelPending() {
    for index in components.indices where components[index].pending != nil {
      OpenAnswers.withLock { cancel(index) }?()
    }
  }

  private func cancel(_ index: Int) -> (() -> Void)? {
    guard let pending = components[index].pending, pending.state == .pending, pending.hasOneContinuation
    else { return nil }
    guard let (waiting, onCancel) = (pending as? Root)?.giveUp(PMKError.cancelled) else {
      return { pending.cancel() }
    }
    return {
      waiting?.continuation.receive(Node.cancelled(), tag: Int32(index))
      onCancel?()
    }
  }

  @usableFromInline
  override func abandon(tag: Int32, rest: inout ContiguousArray<ContinuationEntry>) {
    // One that went on another thread may say so when the gathering is over.
    if remaining == 0 { return }
    components[Int(tag)].pending = nil
    lost += 1
    if lost == remaining, let result = result.take() {
      result.abandon(tag: result.tag, rest: &rest)
    }
  }

  @usableFromInline
  override func moved(to source: Node, tag: Int32) { components[Int(tag)].pending = source }
}

/// The promise of what a ``Gatherer`` brings together.
@usableFromInline
final class GatherNode: Node {
  @usableFromInline let gatherer: Gatherer

  @inlinable
  init(
    _ gatherer: Gatherer, _ file: StaticString, _ line: UInt, flags: Flags = [], perform: @escaping Perform
  ) {
    self.gatherer = gatherer
    super.init(flags: flags.union(.isGathering), perform: perform)
    made(file, line)
    gatherer.begin(self)
  }

  @usableFromInline
  override func cancelOperation() {
    if flags.contains(.isGuarantee) { return gatherer.cancelPending() }
    gatherer.result = nil
    gatherer.leavePending(cancelling: true)
  }

  /// Settles the promise: with the error of the winner, if it has one, else with what `collect` makes.
  @inlinable @inline(__always)
  static func finish<T>(_ node: Node, collect: (GatherNode, Node?) throws -> T) {
    let gathering = unsafeDowncast(node, to: GatherNode.self)
    let winner = gathering.gatherer.winner
    if let winner, winner.state == .rejected {
      node.reject(winner.failure)
    } else {
      do { node.fulfill(try collect(gathering, winner)) } catch { node.reject(error) }
    }
    gathering.gatherer.components = []
    gathering.gatherer.winner = nil
  }

  /// The value of a component.
  @inlinable @inline(__always)
  func value<U>(_ index: Int, of type: U.Type) -> U { gatherer.components[index].settled!.value(as: type) }

  /// The outcome of a component.
  @inlinable @inline(__always)
  func outcome<U>(_ index: Int, of type: U.Type) -> PMKResult<U> {
    gatherer.components[index].settled!.outcome(as: type)
  }
}
