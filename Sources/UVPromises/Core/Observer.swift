/// What `pipe` attached to a pending promise that has no other handler. It lives in the room for the
/// outcome, which is empty until then unless the promise is a step, and so costs no allocation.
///
/// Anything out of the ordinary (a second handler, an error, a promise that is let go) turns it into a step
/// first, and goes on as for any other.
@usableFromInline
struct Observer<T> {
  @usableFromInline let head: ObserverHead
  @usableFromInline let body: (PMKResult<T>) -> Void

  @inlinable
  init(_ body: @escaping (PMKResult<T>) -> Void) {
    self.body = body
    head = ObserverHead { node, _ in node.unfoldObserver(T.self) }
  }
}

/// The part of an observer that does not depend on its type. A struct, as a function by itself is kept in
/// memory in another form than one in a struct.
@usableFromInline
struct ObserverHead {
  /// Calls ``Node/unfoldObserver(_:)`` with the right type, for callers that do not know it.
  @usableFromInline let unfold: Node.Perform

  @inlinable
  init(unfold: @escaping Node.Perform) { self.unfold = unfold }
}

extension Node {
  /// Calls `body` with the outcome, at once if there is one.
  @inlinable
  final func pipe<T>(to body: @escaping (PMKResult<T>) -> Void) {
    if state == .pending, first == nil, others == nil, !flags.contains(.isObserved),
      !form.contains(.holdsHandler)
    {
      flags.formUnion([.isHandled, .isObserved])
      pointer(to: Observer<T>.self).initialize(to: Observer(body))
    } else if state == .pending {
      pipeAsStep(body)
    } else {
      assertOnLoop()
      flags.insert(.isHandled)
      body(outcome(as: T.self))
    }
  }

  @inlinable
  final func pipeAsStep<T>(_ body: @escaping (PMKResult<T>) -> Void) {
    _ = Node.step(.isInline, TapStep(body)) {
      TapStep<T>.run($0, $1)
      $0.fulfill(())
    }.following(self, "", 0)
  }

  @inlinable @inline(__always)
  final func takeObserver<T>(_ type: T.Type) -> Observer<T> {
    flags.remove(.isObserved)
    return pointer(to: Observer<T>.self).move()
  }

  /// Makes the observer a step.
  @inlinable
  final func unfoldObserver<T>(_ type: T.Type) { pipeAsStep(takeObserver(type).body) }

  /// Makes the only observer a step.
  @usableFromInline
  final func unfoldObserver() {
    // Sound: the head is the first thing in an observer of any type.
    pointer(to: ObserverHead.self).pointee.unfold(self, self)
  }

  /// Fulfils the promise, which is pending, and notifies its observer.
  @inlinable
  final func fulfillObserved<T>(_ value: T) {
    guard InlineQueue.enter() else {
      unfoldObserver()
      return fulfill(value)
    }
    let observer = takeObserver(T.self)
    store(value)
    state = .fulfilled
    observer.body(.fulfilled(value))
    InlineQueue.leave()
  }
}
