import UV

/// A value that will be there later, or the error that came instead.
///
/// ```swift
/// firstly {
///   loop.files.stat("/etc/hosts").promise()
/// }.map { status in
///   status.size
/// }.done { size in
///   print(size)
/// }.catch { error in
///   print(error)
/// }
/// ```
///
/// Handlers run on the loop of the thread, as microtasks: after the callback that is running, in the order in
/// which they became due, and never before the call that attaches them has returned. A promise stays on its
/// loop's thread; it is not `Sendable`, so the compiler keeps it there, and no handler needs an annotation.
/// Making a promise needs no loop, attaching a handler does.
///
/// A promise that was rejected and that nobody has asked for by the end of the turn is reported to
/// ``Configuration/unhandledRejectionHandler``.
///
/// PromiseKit's `Promise`.
public struct Promise<T>: Thenable, CatchMixin {
  @usableFromInline let node: Node

  @inlinable
  init(node: Node) { self.node = node }

  /// Creates a promise and has `body` start what will resolve it.
  ///
  /// ```swift
  /// Promise { seal in fetch { value, error in seal.resolve(value, error) } }
  /// Promise { fetch(completion: $0.resolve) }
  /// ```
  ///
  /// - Parameters:
  ///   - body: Called once, before this returns. If it throws, the promise is rejected with the
  ///     error, unless it has been resolved by then.
  ///   - file: Where this is called, for reports in debug builds.
  ///   - line: The line there.
  @inlinable
  public init(
    file: StaticString = #fileID, line: UInt = #line, resolver body: (Resolver<T>) throws -> Void
  ) {
    let root = Root(file, line)
    node = root
    let resolver = Resolver<T>(RemoteTicket.open(root))
    do { try body(resolver) } catch { resolver.reject(error) }
  }

  /// Creates a promise that is rejected.
  @inlinable
  public init(file: StaticString = #fileID, line: UInt = #line, error: any Error) {
    node = Node(flags: [])
    node.made(file, line)
    node.reject(error)
  }

  /// Creates a promise that ends as a guarantee, a request that this starts, or a type of your own.
  @inlinable
  public init<U: Chainable>(_ bridge: U) where U.T == T {
    let source = bridge.node
    // A guarantee cannot be rejected; a promise of its own can be cancelled.
    if !source.flags.contains(.isGuarantee) {
      node = source
    } else if source.state == .fulfilled {
      node = ChainNode.fulfilled(source.value(as: T.self))
    } else {
      node = Node.passing(source, T.self)
    }
  }

  /// A promise that is fulfilled with `value`.
  @inlinable
  public static func value(_ value: T) -> Promise<T> { Promise(node: ChainNode.fulfilled(value)) }

  /// A promise that waits to be resolved, and the resolver that does it.
  ///
  /// If the last resolver is dropped before the promise is resolved, that is reported to
  /// ``Configuration/logHandler``.
  @inlinable
  public static func pending(
    file: StaticString = #fileID, line: UInt = #line
  ) -> (promise: Promise<T>, resolver: Resolver<T>) {
    let root = Root(file, line)
    return (Promise(node: root), Resolver(RemoteTicket.open(root)))
  }

  /// Calls `body` once the promise has been resolved, with its outcome; what every other method could be
  /// built from.
  @inlinable
  public func pipe(to body: @escaping (PMKResult<T>) -> Void) { node.pipe(to: body) }

  /// The outcome, nil while the promise is pending. To have looked at an error counts as having handled it.
  @inlinable
  public var result: PMKResult<T>? { node.result(as: T.self) }

  /// The object behind the promise; for the library's own use.
  @inlinable
  public var _source: _Source<T> { _Source(node: node) }
}

extension Promise where T == Void {
  /// Creates a promise that is fulfilled.
  @inlinable
  public init() { node = ChainNode.fulfilled(()) }

  /// A promise that is fulfilled.
  @inlinable
  public static var value: Promise<Void> { Promise() }
}
