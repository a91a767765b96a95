import UV

/// A promise that has nothing but what every promise has: a step of a chain, or a value.
///
/// A thread keeps some of those that it is done with at hand. To have one made and destroyed by the runtime takes longer
/// than all that a step does itself.
@usableFromInline
final class ChainNode: Node {
  /// A promise without an outcome: one that was kept, or a new one.
  @usableFromInline
  static func make(_ flags: Flags, _ perform: Perform? = nil) -> ChainNode {
    guard let spare = takeSpare() else {
      let node = ChainNode(flags: flags, perform: perform)
      node.form = .isOfChain
      return node
    }
    // Sound: nobody else keeps any.
    let node = unsafeDowncast(consume spare, to: ChainNode.self)
    node.flags = flags
    node.perform = perform
    #if DEBUG
    (node.maker, node.home) = (Node.runningHandler, EventLoop.current?.executor)
    #endif
    return node
  }

  /// A promise that has its value from the start.
  @inlinable
  static func fulfilled<T>(_ value: T, _ flags: Flags = []) -> Node {
    let node = make(flags)
    node.store(value)
    node.state = .fulfilled
    return node
  }

  /// Lets go of a promise whose microtask has run. If nobody else holds it, and it is of this class, it is kept for use
  /// again.
  static func letGo(_ node: consuming Node) {
    guard node.form == .isOfChain, node.state != .pending, !node.isAwaited, isKnownUniquelyReferenced(&node)
    else {
      return
    }
    if node.flags.contains(.isUntracked) { node.reportLoss() }
    // The value's end may make other promises: this one isn't among the spares yet.
    node.perform.take()?(node, node)
    node.state = .pending
    node.flags = []
    #if DEBUG
    (node.site, node.maker, node.home) = (nil, nil, nil)
    #endif
    keepSpare(consume node)
  }
}
