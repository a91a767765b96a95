import UV

extension Node {
  /// Fulfils the promise, unless it has been settled.
  @inlinable @inline(__always)
  final func fulfill<T>(_ value: T) {
    assertOnLoop()
    guard state == .pending else { return }
    assert(!form.contains(.holdsHandler), "the room for the outcome is taken")
    if flags.contains(.isObserved) { return fulfillObserved(value) }
    store(value)
    state = .fulfilled
    notify()
  }

  /// Rejects the promise, unless it has been settled.
  @usableFromInline
  final func reject(_ error: any Error) {
    assertOnLoop()
    guard state == .pending else { return }
    if flags.contains(.isObserved) { unfoldObserver() }
    // A step that was cut off from the promise before it, and then cancelled.
    if form.contains(.holdsHandler) { dropHandler() }
    // The coercion keeps the existential from being opened.
    store(error as any Error)
    state = .rejected
    notify()
  }

  /// Settles the promise, unless it has been settled.
  @inlinable
  final func resolve<T>(_ result: PMKResult<T>) {
    switch result {
    case .fulfilled(let value): fulfill(value)
    case .rejected(let error): reject(error)
    }
  }

  /// The outcome of a promise that has one, as its handlers see it.
  @inlinable @inline(__always)
  final func outcome<T>(as type: T.Type) -> PMKResult<T> {
    assert(state != .pending, "a pending promise has no outcome")
    return state == .fulfilled ? .fulfilled(value(as: type)) : .rejected(failure)
  }

  /// The outcome, nil while pending. A caller that has seen the error has handled it.
  @inlinable
  final func result<T>(as type: T.Type) -> PMKResult<T>? {
    switch state {
    case .pending: return nil
    case .fulfilled, .revoked: return .fulfilled(value(as: type))
    case .rejected:
      flags.insert(.isHandled)
      return .rejected(failure)
    }
  }

  /// Takes the outcome of the promise that a step waited for.
  @inlinable @inline(__always)
  final func pass<T>(_ source: Node, _ type: T.Type) {
    if source.state == .fulfilled { fulfill(source.value(as: type)) } else { reject(source.failure) }
  }

  /// Takes the outcome of `other`, now or when it settles; what a promise does that a handler returned.
  @inlinable @inline(__always)
  final func adopt<T>(_ other: Node, _ type: T.Type) {
    if other.state == .fulfilled {
      fulfill(other.value(as: type))
    } else {
      adoptUnfulfilled(other) { node, source in node.pass(source, type) }
    }
  }

  /// `perform` takes the outcome over.
  @usableFromInline
  final func adoptUnfulfilled(_ other: Node, _ perform: @escaping Perform) {
    other.flags.insert(.isHandled)
    if state != .pending {
      other.cancelUnlessAwaited()
    } else if other.state != .pending {
      reject(other.failure)
    } else if other === self {
      reject(PMKError.returnedSelf)
    } else {
      self.perform = perform
      flags.insert(.isAdopter)
      collapse()
      wait(for: other)
    }
  }

  /// Waits for `other`, which a handler returned, and then has `perform` settle this promise.
  @usableFromInline
  final func adopt(_ other: Node, _ perform: @escaping Perform) {
    // The handler, or the loop meanwhile, may have cancelled the chain.
    if state != .pending { return other.cancelUnlessAwaited() }
    if other === self { return reject(PMKError.returnedSelf) }
    self.perform = perform
    wait(for: other)
  }

  /// Steps out of the middle of a recursion: what only this promise owns, and what only waits to copy this
  /// promise's outcome to one other, is left out, so that a loop of promises needs constant memory.
  private func collapse() {
    // Steps have tags below zero.
    while others == nil, first != nil, firstTag < 0, isKnownUniquelyReferenced(&first) {
      let copier = unsafeDowncast(first!, to: Node.self)
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

extension Node {
  /// Where the value is.
  @inlinable @inline(__always)
  final func pointer<T>(to type: T.Type) -> UnsafeMutablePointer<T> { storage.pointer(to: type) }

  /// Puts a value or an error into the empty storage, and notes how to destroy it.
  @inlinable @inline(__always)
  final func store<T>(_ value: consuming T) {
    storage.store(value)
    perform = OutcomeStorage.forgets(T.self) ? nil : { node, _ in _ = node.storage.take(T.self) }
  }

  /// The value of a fulfilled promise.
  @inlinable @inline(__always)
  final func value<T>(as type: T.Type) -> T { pointer(to: type).pointee }

  /// The error of a rejected promise, or the cancellation of a revoked one.
  @usableFromInline
  final var failure: any Error { state == .revoked ? revocation : pointer(to: (any Error).self).pointee }
}
