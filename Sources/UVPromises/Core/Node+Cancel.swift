extension Node {
  /// Whether anything waits for this promise.
  @inlinable @inline(__always)
  final var isAwaited: Bool { first != nil || others != nil || flags.contains(.isObserved) }

  /// Whether exactly one thing waits for this promise.
  final var hasOneContinuation: Bool {
    if let others { return first == nil && others.count == 1 }
    return isAwaited
  }

  /// Forgets a continuation. Linear in the number of handlers on this promise.
  @usableFromInline
  final func remove(_ continuation: Continuation, tag: Int32) {
    if first === continuation, firstTag == tag {
      first = nil
    } else if let index = others?.lastIndex(where: { $0.continuation === continuation && $0.tag == tag }) {
      others!.remove(at: index)
      if others!.isEmpty { others = nil }
    }
  }

  /// Whether anything other than `continuation` waits for this promise. Linear in the number of handlers.
  final func isAwaited(besides continuation: Continuation?) -> Bool {
    if flags.contains(.isObserved) { return true }
    if let first, first !== continuation { return true }
    return others?.contains { $0.continuation !== continuation } ?? false
  }

  /// Cancels the chain that ends here: the operation at its beginning, and the first step that nobody else
  /// waits through sees a cancellation in place of its promise's outcome. Handlers that are for every outcome
  /// do run.
  @usableFromInline
  final func cancel(with error: any Error = PMKError.cancelled) {
    var rest = CancelList()
    cancelChain(error, &rest)
    rest.cancelRest()
  }

  /// The same for this chain alone. Those that its beginning gathers come to `rest`.
  fileprivate final func cancelChain(_ error: any Error, _ rest: inout CancelList) {
    var node = self
    // The last step on the way that can be rejected, for chains that begin with a guarantee, which cannot.
    var rejectable: Node?
    while node.state == .pending {
      node.flags.insert(.cancelAttempted)
      if !node.flags.contains(.isGuarantee) || node.flags.contains(.coversCancellation) { rejectable = node }
      // Those that a promise with a gatherer or a limit waits for are cancelled after it.
      let source = node.flags.contains(.isGathering) ? nil : node.upstream
      if let upstream = source, upstream.state == .pending, upstream.hasOneContinuation,
        // A chain that waits for itself, by a handler that returned it.
        upstream !== self
      {
        node = upstream
        continue
      }
      // The chain has failed: its error is on its way, and goes on as far as nobody recovers from it.
      if let failed = source, failed.state == .rejected {
        stepThatRecovers(from: failed.failure)?.cancelWait(error)
        return
      }
      if let upstream = source {
        if upstream.state == .pending || !node.isCatch { rejectable?.cancelWait(error) }
      } else if let rejectable, node.flags.contains(.isGuarantee) {
        rejectable.cancelWait(error) { node.cancelAsFirst(error, &rest) }
      } else {
        // The beginning of the chain, or a promise that gathers others.
        node.cancelAsFirst(error, &rest)
      }
      return
    }
  }

  /// Whether this is the step of a `catch`, which has nothing to do after a value.
  private var isCatch: Bool {
    flags.isSuperset(of: [.isGuarantee, .coversCancellation]) && !flags.contains(.recovers)
  }

  /// The first step of a failed chain that recovers from the error, unless it recovers from cancellations as
  /// well.
  private func stepThatRecovers(from error: any Error) -> Node? {
    var node = self
    var first: Node?
    while true {
      if node.flags.contains(.recovers), node.covers(error) { first = node }
      guard let upstream = node.upstream, upstream.state == .pending else { break }
      node = upstream
    }
    return first.flatMap { $0.flags.contains(.coversCancellation) ? nil : $0 }
  }

  /// Cancels what was made for a chain that has been cancelled meanwhile.
  @usableFromInline
  final func cancelUnlessAwaited() {
    if !isAwaited { cancel() }
  }

  private func cancelAsFirst(_ error: any Error, _ rest: inout CancelList) {
    if !flags.contains(.isGuarantee) {
      reject(error)
    } else if !flags.contains(.isGathering) {
      flags.insert(.isCancelled)
    }
    cancelOperation(&rest)
  }

  /// Waits for a cancelled promise instead, once `body` has cancelled what this step waited for.
  private func cancelWait(_ error: any Error, after body: () -> Void = {}) {
    // Without one, the handler of this step is running.
    guard let upstream else { return body() }
    // The promise may hold the last reference to this step.
    let step = self
    upstream.remove(step, tag: tag)
    // This step sees the cancellation, and not what `body` makes of the promise.
    self.upstream = nil
    body()
    // A handler that ran meanwhile may have cancelled it as well.
    if state == .pending, self.upstream == nil { step.wait(for: Node.cancelled(error)) }
  }

  /// A promise that was cancelled.
  static func cancelled(_ error: any Error = PMKError.cancelled) -> Node {
    let node = Node(flags: .isHandled)
    node.reject(error)
    return node
  }

  // MARK: A promise that has its value

  /// Cancels what waits for this promise and what will. A promise that has its value keeps it, but steps see
  /// the error instead. Steps that have run with the value aren't reached: nothing leads to them.
  final func revoke(_ error: any Error) {
    guard state == .fulfilled, !flags.contains(.isGuarantee) else { return }
    let destroy = perform
    perform = { node, other in
      if other === node { destroy?(node, node) } else { other.reject(error) }
    }
    state = .revoked
  }

  /// The error that a revoked promise shows to its waiters.
  final var revocation: any Error {
    let shown = Node(flags: .isHandled)
    perform?(self, shown)
    return shown.failure
  }
}

/// Promises that are cancelled with another, unless something else waits for them: at once, and those that would make
/// the stack deep from the ground. Few are gathered so deeply, so that the list is seldom allocated.
@usableFromInline
struct CancelList {
  private var entries: ContiguousArray<(node: Node, waiter: Continuation?)> = []
  private var depth = 0

  private static var greatestDepth: Int { 64 }

  /// - Parameter waiter: What goes on waiting for the promise all the same; nil if nothing does.
  mutating func add(_ node: Node, besides waiter: Continuation?) {
    guard depth < Self.greatestDepth else { return entries.append((node, waiter)) }
    depth += 1
    if !node.isAwaited(besides: waiter) { node.cancelChain(PMKError.cancelled, &self) }
    depth -= 1
  }

  /// Cancels those that were too deep, in their order, and after them those that they gather.
  mutating func cancelRest() {
    var next = 0
    while next < entries.count {
      let entry = entries[next]
      next += 1
      add(entry.node, besides: entry.waiter)
    }
  }
}
