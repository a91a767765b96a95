import UV

/// A node with its value.
@usableFromInline
class Node<T>: AnyNode {
  @exclusivity(unchecked) @usableFromInline final var value: T?

  @inlinable
  override init(flags: Flags, perform: Perform? = nil) { super.init(flags: flags, perform: perform) }

  /// A promise that has its value from the start.
  @inlinable
  init(value: T, flags: Flags = []) {
    super.init(flags: flags, perform: nil)
    self.value = value
    state = .fulfilled
  }

  /// A promise that has been rejected from the start.
  @usableFromInline
  init(error: any Error) {
    super.init(flags: [], perform: nil)
    reject(error)
  }

  /// Fulfils the promise, unless it has been settled.
  @inlinable @inline(__always)
  final func fulfill(_ value: T) {
    guard state == .pending else { return }
    self.value = value
    state = .fulfilled
    notify()
  }

  /// Settles the promise, unless it has been settled.
  @inlinable
  final func resolve(_ result: PMKResult<T>) {
    switch result {
    case .fulfilled(let value): fulfill(value)
    case .rejected(let error): reject(error)
    }
  }

  /// The outcome, nil while pending. Whoever has seen the error has handled it.
  @inlinable
  final var result: PMKResult<T>? {
    switch state {
    case .pending: return nil
    case .fulfilled: return .fulfilled(value!)
    case .rejected:
      flags.insert(.isHandled)
      return .rejected(error!)
    }
  }

  /// Takes the outcome of `other`, now or when it settles; what a promise does that a handler returned.
  @inlinable
  final func adopt(_ other: Node<T>) {
    switch other.state {
    case .fulfilled: fulfill(other.value!)
    case .rejected:
      other.flags.insert(.isHandled)
      reject(other.error!)
    case .pending:
      if other === self { return reject(PMKError.returnedSelf) }
      perform = Node.takeOver
      flags.insert(.isAdopter)
      flags.remove(.isInline)
      collapse()
      wait(for: other)
    }
  }

  @inlinable
  static var takeOver: Perform {
    { node, source in
      let node = unsafeDowncast(node, to: Node<T>.self)
      node.pass(source)
    }
  }
}

extension AnyNode {
  /// Steps out of the middle of a recursion: what only this promise owns, and what only waits to copy this promise's
  /// outcome to one other, is left out, so that a loop of promises needs constant memory.
  @usableFromInline
  final func collapse() {
    while others == nil, first != nil, firstTag == AnyNode.stepTag, isKnownUniquelyReferenced(&first) {
      let copier = unsafeDowncast(first!, to: AnyNode.self)
      guard copier.flags.contains(.isAdopter), copier.others == nil, let next = copier.first else { return }
      let tag = copier.firstTag
      copier.first = nil
      copier.upstream = nil
      first = next
      firstTag = tag
      next.moved(to: self, tag: tag)
    }
  }
}
