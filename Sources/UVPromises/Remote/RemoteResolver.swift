import Synchronization
import UV

/// Resolves a promise from any thread. Made by ``Resolver/remote``.
///
/// It keeps the loop running until it is used or dropped. The first call wins; later ones do nothing.
public final class RemoteResolver<T: Sendable>: Sendable {
  private let ticket: RemoteTicket
  private let isUsed = Atomic(false)

  init(node: Node) { ticket = RemoteTicket(node, "remote") }

  /// Fulfils the promise, on its loop.
  public func fulfill(_ value: T) { resolve(.fulfilled(value)) }

  /// Rejects the promise, on its loop.
  public func reject(_ error: any Error) { resolve(.rejected(error)) }

  /// Resolves the promise with an outcome, on its loop.
  public func resolve(_ result: PMKResult<T>) {
    guard isUsed.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged else { return }
    ticket.complete { $0.resolve(result) }
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
