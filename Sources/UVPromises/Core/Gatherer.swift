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

  /// The promises that are waited for: `count` of them, in memory for as many as were announced.
  // Sound: allocated with this object and freed with it; an index is below `count`, as only those were given
  // out as tags.
  @usableFromInline let components: UnsafeMutablePointer<Component>
  @exclusivity(unchecked) @usableFromInline var count = 0
  /// The promise that is settled at the end; nil once it has been settled.
  @exclusivity(unchecked) @usableFromInline var result: Node?
  /// The promise that decided the matter, where one did.
  @exclusivity(unchecked) @usableFromInline var winner: Node?
  /// How many have no outcome yet, and how many of those will have none.
  @exclusivity(unchecked) @usableFromInline var remaining = 0
  @exclusivity(unchecked) private var lost = 0
  @usableFromInline let rule: Rule
  /// Whether those that are not needed any more are cancelled.
  @usableFromInline let cancelsRest: Bool

  /// - Parameter capacity: How many promises will be added.
  @inlinable
  init(_ rule: Rule, of capacity: Int, cancelsRest: Bool = false) {
    self.rule = rule
    self.cancelsRest = cancelsRest
    components = .allocate(capacity: capacity)
    super.init()
  }

  deinit {
    clear()
    components.deallocate()
  }

  /// Lets go of the promises.
  @usableFromInline
  func clear() {
    components.deinitialize(count: count)
    count = 0
    winner = nil
  }

  @inlinable
  subscript(index: Int) -> Component { components[index] }

  /// Adds a promise to wait for. Nothing is decided before ``begin()``.
  @inlinable
  func add(_ node: Node) {
    node.assertOnLoop()
    node.flags.insert(.isHandled)
    if node.state == .pending {
      remaining += 1
      node.append(self, tag: Int32(truncatingIfNeeded: count))
      (components + count).initialize(to: Component(settled: nil, pending: node))
    } else {
      (components + count).initialize(to: Component(settled: node, pending: nil))
    }
    count += 1
  }

  /// Looks whether the gathering is over from the start, after the last ``add(_:)``.
  @usableFromInline
  func begin(_ result: Node) {
    self.result = result
    for index in 0..<count {
      if let settled = components[index].settled, decides(settled) { return finishAtOnce(settled) }
    }
    if remaining == 0, rule != .first { finishAtOnce(nil) }
  }

  /// Settles the result, which was just made. Nobody waits for it yet.
  private func finishAtOnce(_ winner: Node?) {
    guard let result = result.take() else { return }
    leaveRest()
    self.winner = winner
    result.resume(result)
  }

  private func decides(_ node: Node) -> Bool {
    switch rule {
    case .allFulfilled: node.state != .fulfilled
    case .allSettled: false
    case .first: true
    case .firstFulfilled: node.state == .fulfilled
    }
  }

  @usableFromInline
  override func receive(_ source: Node, tag: Int32) {
    // The same promise may stand here twice, and its first notification may have been enough. A handler before
    // this may also have cancelled the gathering.
    guard Int(tag) < count, components[Int(tag)].pending === source else { return }
    // Sound: it was pending, and so there is nothing to let go of.
    (components + Int(tag)).initialize(to: Component(settled: source, pending: nil))
    remaining &-= 1
    assert(remaining >= 0)
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
    leaveRest()
    self.winner = winner
    InlineQueue.run(result, result)
  }

  /// Stops waiting once the matter is decided.
  private func leaveRest() {
    var rest = CancelList()
    leavePending(cancelling: cancelsRest, &rest)
    rest.cancelRest()
  }

  /// Stops waiting for those that are pending, and has them cancelled that nothing else waits for.
  func leavePending(cancelling: Bool, _ rest: inout CancelList) {
    guard remaining > 0 else { return }
    remaining = 0
    for index in 0..<count {
      guard let pending = components[index].pending else { continue }
      components[index].pending = nil
      pending.remove(self, tag: Int32(index))
      if cancelling { rest.add(pending, besides: nil) }
    }
  }

  /// Has those cancelled that nothing else waits for, and goes on waiting for all.
  func cancelPending(_ rest: inout CancelList) {
    for index in 0..<count {
      if let pending = components[index].pending { rest.add(pending, besides: self) }
    }
  }

  @usableFromInline
  override func abandon(tag: Int32, rest: inout ContiguousArray<ContinuationEntry>) {
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
  override func cancelOperation(_ rest: inout CancelList) {
    if flags.contains(.isGuarantee) { return gatherer.cancelPending(&rest) }
    gatherer.result = nil
    gatherer.leavePending(cancelling: true, &rest)
  }

  /// Settles the promise: with the error of the winner, if it has one, else with what `collect` makes.
  @inlinable @inline(__always)
  static func finish<T>(_ node: Node, collect: (GatherNode, Node?) throws -> T) {
    let gathering = unsafeDowncast(node, to: GatherNode.self)
    let winner = gathering.gatherer.winner
    if let winner, winner.state != .fulfilled {
      node.reject(winner.failure)
    } else {
      do { node.fulfill(try collect(gathering, winner)) } catch { node.reject(error) }
    }
    gathering.gatherer.clear()
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
