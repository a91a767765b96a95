import UV

extension Request {
  /// Starts the request; the promise is resolved with its answer.
  ///
  /// Cancelling the promise, or the last chain that waits for it, cancels the request.
  @inlinable
  public func promise(file: StaticString = #fileID, line: UInt = #line) -> Promise<Success> {
    let node = RequestNode(file, line)
    node.pending = start { result in
      // It may hold on to a connection, which the promise is not to do.
      node.pending = PendingRequest()
      switch result {
      case .success(let value): node.fulfill(value)
      case .failure(let error): node.reject(error)
      }
    }
    return Promise(node: node)
  }
}

/// The promise of a request's answer.
@usableFromInline
final class RequestNode: Node {
  @exclusivity(unchecked) @usableFromInline var pending = PendingRequest()

  @inlinable
  init(_ file: StaticString, _ line: UInt, flags: Flags = .isRoot) {
    super.init(flags: flags)
    made(file, line)
  }

  @usableFromInline
  override func cancelOperation() { pending.cancel() }
}
