import UV

extension EventSource {
  /// Calls `body` with one element after the other, and asks for the next when the promise that `body`
  /// returned is fulfilled; so a source is not read faster than its elements are dealt with.
  ///
  /// ```swift
  /// connection.each { chunk in
  ///   connection.write(chunk).promise()
  /// }.ensure {
  ///   connection.close()
  /// }.catch { print($0) }
  /// ```
  ///
  /// Cancelling the promise cancels what is being waited for; the source stays open and can be used again.
  ///
  /// - Parameters:
  ///   - file: Where this is called, for reports in debug builds.
  ///   - line: The line there.
  ///   - body: Called on the loop, never before this has returned. If it throws or its promise is rejected,
  ///     no more is asked for.
  /// - Returns: A promise that is fulfilled at the end of the source. It is rejected with the error of the
  ///   source, or that of `body`.
  ///
  /// Bluebird's `Promise.each`.
  @inlinable
  public func each<U: Chainable>(
    file: StaticString = #fileID, line: UInt = #line, _ body: @escaping (Element) throws -> U
  ) -> Promise<Void> {
    let node = EachNode(self, body, file, line)
    node.ask()
    return Promise(node: node)
  }
}

/// The promise of a source's end.
@usableFromInline
final class EachNode<Source: EventSource, U: Chainable>: Node {
  @usableFromInline let source: Source
  @usableFromInline let body: (Source.Element) throws -> U
  @exclusivity(unchecked) @usableFromInline var pending = PendingRequest()
  @exclusivity(unchecked) @usableFromInline var receiver: EachReceiver<Source, U>?

  @inlinable
  init(
    _ source: Source, _ body: @escaping (Source.Element) throws -> U, _ file: StaticString, _ line: UInt
  ) {
    self.source = source
    self.body = body
    super.init(flags: .isRoot) { node, settled in
      if settled.state == .fulfilled {
        unsafeDowncast(node, to: EachNode.self).ask()
      } else {
        node.reject(settled.failure)
      }
    }
    made(file, line)
    receiver = EachReceiver<Source, U> { receiver, result in
      unsafeDowncast(receiver, to: EachReceiver<Source, U>.self).node.take()?.receive(result)
    }
  }

  /// Asks for the next element. The source owns the receiver meanwhile, and that this.
  @inlinable
  func ask() {
    guard let receiver else { return }
    receiver.node = self
    pending = source._next(for: receiver)
  }

  @inlinable
  func receive(_ result: Result<Source.Element?, UVError>) {
    pending = PendingRequest()
    // Cancelled meanwhile.
    guard state == .pending else { return }
    switch result {
    case .success(let element?):
      do {
        let made = try body(element).node
        // The body may have cancelled this promise.
        if state == .pending { wait(for: made) } else { made.cancelUnlessAwaited() }
      } catch { reject(error) }
    case .success(nil): fulfill(())
    case .failure(let error): reject(error)
    }
  }

  @usableFromInline
  override func cancelOperation(_ rest: inout CancelList) { pending.cancel() }
}

/// Waits for the next element on behalf of an ``EachNode``.
@usableFromInline
final class EachReceiver<Source: EventSource, U: Chainable>: _ElementReceiver<Source.Element> {
  /// Nil while nothing is asked for: the node owns this.
  @exclusivity(unchecked) @usableFromInline var node: EachNode<Source, U>?

  @inlinable
  override init(
    _ deliver: @escaping (_ElementReceiver<Source.Element>, Result<Source.Element?, UVError>) -> Void
  ) {
    super.init(deliver)
  }
}
