public import UV

/// Resolves a promise from any thread. Made by ``Resolver/remote``.
///
/// It keeps the loop running until it is used or dropped. The first call wins; later ones do nothing, and so does one
/// that comes after the loop has been shut down. Handlers run on the loop's thread.
public final class RemoteResolver<T: Sendable>: Sendable {
  @usableFromInline let ticket: RemoteTicket

  init(node: Root) { ticket = node.ticket("remote") }

  /// Fulfils the promise, on its loop.
  @inlinable
  public func fulfill(_ value: T) {
    guard ticket.claim() else { return }
    ticket.complete {
      let node = unsafeDowncast($0, to: Root.self)
      node.fulfill(value)
      node.forgetOperation()
    }
  }

  /// Rejects the promise, on its loop.
  @inlinable
  public func reject(_ error: any Error) {
    guard ticket.claim() else { return }
    ticket.complete {
      let node = unsafeDowncast($0, to: Root.self)
      node.reject(error)
      node.forgetOperation()
    }
  }

  /// Resolves the promise with an outcome, on its loop.
  @inlinable
  public func resolve(_ result: PMKResult<T>) {
    switch result {
    case .fulfilled(let value): fulfill(value)
    case .rejected(let error): reject(error)
    }
  }

  /// Resolves the promise, on its loop, with what a completion handler was given: the error, if there is one,
  /// else the value; with neither, it is rejected with ``PMKError/invalidCallingConvention``.
  public func resolve(_ value: T?, _ error: (any Error)?) {
    if let error {
      reject(error)
    } else if let value {
      fulfill(value)
    } else {
      reject(PMKError.invalidCallingConvention)
    }
  }
}

extension Resolver where T: Sendable {
  /// A resolver for other threads, for instance for the completion handler of a library that has threads of
  /// its own:
  ///
  /// ```swift
  /// Promise { seal in
  ///   let seal = seal.remote
  ///   DispatchQueue.global().async { seal.fulfill(compute()) }
  /// }
  /// ```
  ///
  /// It belongs to the loop of this thread, and stops the program with a message if there is none.
  public var remote: RemoteResolver<T> { RemoteResolver(node: node) }
}

extension Node {
  /// Carries this promise to other threads and back.
  func ticket(_ operation: String) -> RemoteTicket {
    guard let loop = EventLoop.current else {
      fatalError("\(operation) needs an event loop on its thread: call it inside EventLoop.run")
    }
    return RemoteTicket(self, of: loop)
  }
}
