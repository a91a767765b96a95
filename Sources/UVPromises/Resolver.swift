/// What resolves a promise. The first call wins; later ones do nothing.
///
/// A resolver stays on the thread of its promise; ``remote`` gives one for other threads.
///
/// PromiseKit's `Resolver`.
public struct Resolver<T> {
  @usableFromInline let node: Root

  @inlinable
  init(node: Root) { self.node = node }

  /// Fulfils the promise.
  ///
  /// PromiseKit's `fulfill`.
  @inlinable
  public func fulfill(_ value: T) {
    node.fulfill(value)
    node.forgetOperation()
  }

  /// Rejects the promise.
  ///
  /// PromiseKit's `reject`.
  @inlinable
  public func reject(_ error: any Error) {
    node.reject(error)
    node.forgetOperation()
  }

  /// Resolves the promise with an outcome.
  ///
  /// PromiseKit's `resolve`.
  @inlinable
  public func resolve(_ result: PMKResult<T>) {
    switch result {
    case .fulfilled(let value): fulfill(value)
    case .rejected(let error): reject(error)
    }
  }

  /// Resolves the promise with the standard library's form of an outcome.
  ///
  /// PromiseKit's `resolve`.
  @inlinable
  public func resolve<Failure: Error>(_ result: Result<T, Failure>) {
    switch result {
    case .success(let value): fulfill(value)
    case .failure(let error): reject(error)
    }
  }

  /// Resolves the promise with what a completion handler was given: the error, if there is one, else the
  /// value. With neither, it is rejected with ``PMKError/invalidCallingConvention``.
  ///
  /// PromiseKit's `resolve`.
  @inlinable
  public func resolve(_ value: T?, _ error: (any Error)?) {
    if let error {
      reject(error)
    } else if let value {
      fulfill(value)
    } else {
      reject(PMKError.invalidCallingConvention)
    }
  }

  /// Resolves the promise with the error, if there is one, else with the value.
  ///
  /// PromiseKit's `resolve`.
  @inlinable
  public func resolve(_ value: T, _ error: (any Error)?) {
    if let error { reject(error) } else { fulfill(value) }
  }

  /// As ``resolve(_:_:)-(T?,_)``, for completion handlers whose error comes first.
  ///
  /// PromiseKit's `resolve`.
  @inlinable
  public func resolve(_ error: (any Error)?, _ value: T?) { resolve(value, error) }

  /// Has `body` called if the promise is cancelled while it is pending, to stop what was to resolve it. The
  /// promise is rejected with ``PMKError/cancelled`` in any case.
  @inlinable
  public func onCancel(_ body: @escaping () -> Void) {
    if node.state == .pending { node.onCancel = body }
  }
}

extension Resolver where T == Void {
  /// Fulfils the promise.
  ///
  /// PromiseKit's `fulfill`.
  @inlinable
  public func fulfill() { fulfill(()) }

  /// Fulfils the promise; for a completion handler without arguments: `fetch(completion: seal.fulfill_)`.
  ///
  /// PromiseKit's `fulfill_`.
  @inlinable
  public func fulfill_() { fulfill(()) }

  /// Rejects the promise if there is an error, else fulfils it.
  ///
  /// PromiseKit's `resolve`.
  @inlinable
  public func resolve(_ error: (any Error)?) {
    if let error { reject(error) } else { fulfill(()) }
  }
}
