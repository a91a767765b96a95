import UV

/// Resolves a promise, on any thread. The first call wins; later ones do nothing.
///
/// ```swift
/// Promise<Int> { seal in
///   DispatchQueue.global().async { seal.fulfill(compute()) }
/// }
/// ```
///
/// On the thread of the promise's loop the promise is resolved at once, on any other as soon as the loop
/// comes to it. Handlers run on the loop's thread in any case. A promise that was made on a loop keeps it
/// running until it has been resolved, or the last copy of its resolver is gone.
///
/// If the last copy goes first, nobody can resolve the promise: it is reported to
/// ``Configuration/logHandler``, and a task that waits for it gets ``PMKError/abandoned``. The same happens
/// when the loop is shut down; to resolve the promise afterwards does nothing.
///
/// A resolver is `Sendable`, whatever its value is. If the value is not, the compiler doesn't check that one
/// thread at a time uses it: a thread that resolves a promise with such a value must not use it afterwards.
///
/// PromiseKit's `Resolver`.
public struct Resolver<T> {
  /// The ticket by which the promise, a `Root`, is answered.
  @usableFromInline let ticket: RemoteTicket

  @inlinable
  init(_ ticket: RemoteTicket) { self.ticket = ticket }

  /// The promise, if this is its loop's thread and it has not been resolved; or whether this is another thread,
  /// and the first that resolves the promise.
  @inlinable
  func take() -> (root: Root?, isFirstElsewhere: Bool) {
    let (object, isHere) = ticket.take()
    // Sound: what the ticket was made for.
    if let object { return (unsafeDowncast(object, to: Root.self), false) }
    return (nil, !isHere && ticket.claim())
  }

  /// Fulfils the promise.
  ///
  /// Give back what the value holds, such as a connection, if the promise doesn't take it:
  ///
  /// ```swift
  /// if !seal.fulfill(connection) { connection.close() }
  /// ```
  ///
  /// On another thread than the loop's, true says that the value is on its way. The promise takes it unless
  /// the promise is cancelled, or its loop ends, before the loop comes to it.
  ///
  /// - Returns: Whether the promise takes the value: not if it has been resolved or cancelled, or if its loop
  ///   has ended.
  @inlinable
  @discardableResult
  public func fulfill(_ value: T) -> Bool {
    let (root, isFirstElsewhere) = take()
    if let root {
      let isTaken = root.isOpen
      root.fulfill(value)
      root.didResolve()
      return isTaken
    }
    return isFirstElsewhere
      && ticket.complete {
        // Sound: what the ticket was made for.
        let root = unsafeDowncast($0, to: Root.self)
        root.fulfill(value)
        root.didResolve()
      }
  }

  /// Rejects the promise.
  ///
  /// - Returns: Whether the promise takes the error; see `fulfill`.
  @inlinable
  @discardableResult
  public func reject(_ error: any Error) -> Bool {
    let (root, isFirstElsewhere) = take()
    if let root {
      let isTaken = root.isOpen
      root.reject(error)
      root.didResolve()
      return isTaken
    }
    return isFirstElsewhere
      && ticket.complete {
        // Sound: what the ticket was made for.
        let root = unsafeDowncast($0, to: Root.self)
        root.reject(error)
        root.didResolve()
      }
  }

  /// Whether nobody has resolved the promise yet, and it hasn't been cancelled: to be asked before work that
  /// nobody needs otherwise.
  ///
  /// Another thread than the loop's doesn't hear of a cancellation: there it is false once a thread other
  /// than the loop's has resolved the promise, or once the loop has ended. To stop such work, use
  /// ``onCancel(_:)``.
  @inlinable
  public var isPending: Bool {
    if !ticket.isHere { return ticket.isUnclaimed }
    // Sound: what the ticket was made for.
    return ticket.current.map { unsafeDowncast($0, to: Root.self).isOpen } ?? false
  }

  /// Resolves the promise with an outcome.
  @inlinable
  public func resolve(_ result: PMKResult<T>) {
    switch result {
    case .fulfilled(let value): fulfill(value)
    case .rejected(let error): reject(error)
    }
  }

  /// Resolves the promise with the standard library's form of an outcome.
  @inlinable
  public func resolve<Failure: Error>(_ result: Result<T, Failure>) {
    switch result {
    case .success(let value): fulfill(value)
    case .failure(let error): reject(error)
    }
  }

  /// Resolves the promise with what a completion handler was given: the error, if there is one, else the
  /// value. With neither, it is rejected with ``PMKError/invalidCallingConvention``.
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
  @inlinable
  public func resolve(_ value: T, _ error: (any Error)?) {
    if let error { reject(error) } else { fulfill(value) }
  }

  /// As ``resolve(_:_:)-(T?,_)``, for completion handlers whose error comes first.
  @inlinable
  public func resolve(_ error: (any Error)?, _ value: T?) { resolve(value, error) }

  /// Has `body` called if the promise is cancelled while it is pending, to stop what was to resolve it; at once
  /// if it has been cancelled already. The promise is rejected with ``PMKError/cancelled`` in any case.
  ///
  /// This is the place to give back what a value would have held. A value that comes later isn't taken, which
  /// `fulfill` says.
  ///
  /// On the thread of the promise only; elsewhere this stops the program with a message.
  @inlinable
  public func onCancel(_ body: @escaping () -> Void) {
    require(ticket.isHere, "onCancel is called on the thread of the promise's event loop, where it runs")
    // Sound: what the ticket was made for.
    guard let root = ticket.current.map({ unsafeDowncast($0, to: Root.self) }) else { return }
    if root.wasCancelled { body() } else if root.isOpen { root.onCancel = body }
  }
}

/// The same functions where a completion handler is wanted, which returns nothing:
/// `fetch(completion: seal.fulfill)`.
extension Resolver {
  /// Fulfils the promise; see `fulfill`.
  @_disfavoredOverload
  @inlinable
  public func fulfill(_ value: T) { let _: Bool = fulfill(value) }

  /// Rejects the promise; see `reject`.
  @_disfavoredOverload
  @inlinable
  public func reject(_ error: any Error) { let _: Bool = reject(error) }
}

extension Resolver where T == Void {
  /// Fulfils the promise; see `fulfill`.
  @_disfavoredOverload
  @inlinable
  public func fulfill() { let _: Bool = fulfill(()) }
}

extension Resolver where T == Void {
  /// Fulfils the promise.
  ///
  /// - Returns: Whether the promise takes it; see `fulfill`.
  @inlinable
  @discardableResult
  public func fulfill() -> Bool { fulfill(()) }

  /// Fulfils the promise; for a completion handler without arguments: `fetch(completion: seal.fulfill_)`.
  @inlinable
  public func fulfill_() { fulfill(()) }

  /// Rejects the promise if there is an error, else fulfils it.
  @inlinable
  public func resolve(_ error: (any Error)?) {
    if let error { reject(error) } else { fulfill(()) }
  }
}

// Sound: the promise is touched on the loop's thread only, and the value is given up by who resolves the
// promise; see there. Not where `T: Sendable`: with a condition, Swift 6's compiler cannot infer the type
// of `Promise { fetch($0.resolve) }`.
extension Resolver: @unchecked Sendable {}
