import UV

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

  /// Cancels the chain that ends here: the operation at its beginning, and the first step that nobody else
  /// waits through sees a cancellation in place of its promise's outcome. Handlers that are for every outcome
  /// do run.
  @usableFromInline
  final func cancel(with error: any Error = PMKError.cancelled) {
    // A promise at the beginning may be going away on another thread.
    OpenAnswers.withLock { beginCancelling(error) }?()
  }

  /// Finds where the cancellation begins, and returns what is to be done there.
  private func beginCancelling(_ error: any Error) -> (() -> Void)? {
    var node = self
    // The last step on the way that can be rejected, for chains that begin with a guarantee, which cannot.
    var rejectable: Node?
    while node.state == .pending {
      if !node.flags.contains(.isGuarantee) || node.flags.contains(.coversCancellation) { rejectable = node }
      let upstream = node.upstream
      if let upstream, upstream.state == .pending, upstream.hasOneContinuation,
        // A chain that waits for itself, by a handler that returned it.
        upstream !== self
      {
        node = upstream
        continue
      }
      // The chain has failed: its error is on its way.
      if upstream?.state == .rejected { return nil }
      if upstream == nil || upstream?.state == .gone {
        // The beginning of the chain, or a promise that gathers others.
        return node.endAsFirst(of: self, rejectable, error)
      }
      return rejectable?.waitForCancelled(error)
    }
    return nil
  }

  private func endAsFirst(of last: Node, _ rejectable: Node?, _ error: any Error) -> (() -> Void)? {
    if self !== last, let (waiting, onCancel) = (self as? Root)?.giveUp(error) {
      let first = waiting?.continuation as? Node
      let end = flags.contains(.isGuarantee) ? rejectable?.waitForCancelled(error) : nil
      return {
        first?.wait(for: Node.cancelled(error))
        onCancel?()
        end?()
      }
    }
    let end = flags.contains(.isGuarantee) ? rejectable?.waitForCancelled(error) : nil
    return { [self] in
      cancelAsFirst(error)
      end?()
    }
  }

  private func cancelAsFirst(_ error: any Error) {
    if !flags.contains(.isGuarantee) {
      reject(error)
    } else if !flags.contains(.isGathering) {
      flags.insert(.isCancelled)
    }
    cancelOperation()
  }

  /// Stops waiting, and returns what begins to wait for a cancelled promise instead.
  private func waitForCancelled(_ error: any Error) -> (() -> Void)? {
    guard let upstream, upstream.state != .gone else { return nil }
    // The promise may hold the last reference to this step.
    let step = self
    upstream.remove(step, tag: tag)
    self.upstream = nil
    return { step.wait(for: Node.cancelled(error)) }
  }

  /// A promise that was cancelled.
  static func cancelled(_ error: any Error = PMKError.cancelled) -> Node {
    let node = Node(flags: .isHandled)
    node.reject(error)
    return node
  }
}
