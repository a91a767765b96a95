import UV

/// What resolves a promise, on any thread. The first call wins; later ones do nothing.
///
/// ```swift
/// Promise<Int> { seal in
///   DispatchQueue.global().async { seal.fulfill(compute()) }
/// }
/// ```
///
/// On the thread of the promise's loop the promise is resolved at once, on any other as soon as the loop comes to it.
/// Handlers run on the loop's thread in any case. A promise that was made on a loop keeps it running until it has been
/// resolved, or the last copy of its resolver is gone. Promises that were made in the same turn of a loop share this: the
/// loop may go on until the last resolver among them is gone.
///
/// If the last copy goes first, nobody can resolve the promise: it is reported to ``Configuration/logHandler``,
/// and a task that waits for it gets ``PMKError/abandoned``. The same happens when the loop is shut down; to resolve the
/// promise afterwards does nothing.
///
/// A resolver is `Sendable` if the value is. The compiler of Swift 6 checks that; in Swift 5 mode it's up to you that a value
/// which is not `Sendable` is used by one thread at a time.
///
/// PromiseKit's `Resolver`.
public struct Resolver<T> {
  @usableFromInline let node: Root
  @usableFromInline let right: AnswerRight

  /// Resolves a new promise.
  @inlinable
  init(_ file: StaticString, _ line: UInt, flags: Node.Flags = .isRoot) {
    node = Root(file, line, flags: flags)
    right = node.open()
  }

  /// Whether this is the thread of the promise.
  @inlinable
  var isHere: Bool {
    @inline(__always) get { right.isOnLoop }
  }

  /// Has the promise resolved on its loop's thread.
  // Sound: `right` takes the value there, once.
  @usableFromInline
  func resolveElsewhere(_ resolve: @escaping (Root) -> Void) {
    right.send(node) { resolve(unsafeDowncast($0, to: Root.self)) }
  }

  /// Fulfils the promise.
  ///
  /// PromiseKit's `fulfill`.
  @inlinable
  public func fulfill(_ value: T) {
    guard isHere else {
      return resolveElsewhere {
        $0.fulfill(value)
        $0.didResolve()
      }
    }
    node.fulfill(value)
    node.didResolve()
  }

  /// Rejects the promise.
  ///
  /// PromiseKit's `reject`.
  @inlinable
  public func reject(_ error: any Error) {
    guard isHere else {
      return resolveElsewhere {
        $0.reject(error)
        $0.didResolve()
      }
    }
    node.reject(error)
    node.didResolve()
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
  ///
  /// On the thread of the promise only; elsewhere this stops the program with a message.
  @inlinable
  public func onCancel(_ body: @escaping () -> Void) {
    require(isHere, "onCancel is called on the thread of the promise's event loop, where it runs")
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

// Sound: `node` is touched on the loop's thread only.
extension Resolver: @unchecked Sendable where T: Sendable {}

extension Resolver where T: Sendable {
  /// The same resolver.
  @available(*, deprecated, message: "every resolver can be used on any thread")
  public var remote: Resolver<T> { self }
}
