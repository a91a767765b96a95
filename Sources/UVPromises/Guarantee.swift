import UV

/// A value that will be there later, for certain: a promise that cannot fail and so needs no `catch`.
///
/// Handlers run as those of a ``Promise``. Combinators take guarantees and promises alike.
///
/// PromiseKit's `Guarantee`.
public struct Guarantee<T>: Thenable {
  @usableFromInline let node: Node

  @inlinable
  init(node: Node) { self.node = node }

  /// Creates a guarantee and has `body` start what will resolve it.
  ///
  /// ```swift
  /// Guarantee { seal in seal(value) }
  /// Guarantee(resolver: fetch)
  /// ```
  ///
  /// - Parameters:
  ///   - body: Called once, before this returns, with the function that resolves the guarantee; the
  ///     first call of that counts.
  ///   - file: Where this is called, for reports in debug builds.
  ///   - line: The line there.
  @inlinable
  public init(
    file: StaticString = #fileID, line: UInt = #line, resolver body: (@escaping (T) -> Void) -> Void
  ) {
    let root = Root(file, line, flags: [.isRoot, .isGuarantee])
    node = root
    let resolver = Resolver<T>(RemoteTicket.open(root))
    body { resolver.fulfill($0) }
  }

  /// A guarantee that has its value.
  @inlinable
  public static func value(_ value: T) -> Guarantee<T> {
    Guarantee(node: ChainNode.fulfilled(value, .isGuarantee))
  }

  /// A guarantee that waits to be resolved, and the function that does it.
  @inlinable
  public static func pending(
    file: StaticString = #fileID, line: UInt = #line
  ) -> (guarantee: Guarantee<T>, resolve: (T) -> Void) {
    let root = Root(file, line, flags: [.isRoot, .isGuarantee])
    let resolver = Resolver<T>(RemoteTicket.open(root))
    return (Guarantee(node: root), { resolver.fulfill($0) })
  }

  /// Calls `body` once the guarantee has been resolved, with its outcome.
  @inlinable
  public func pipe(to body: @escaping (PMKResult<T>) -> Void) { node.pipe(to: body) }

  /// The outcome, nil while the guarantee is pending.
  @inlinable
  public var result: PMKResult<T>? { node.result(as: T.self) }

  /// The object behind the guarantee; for the library's own use.
  @inlinable
  public var _source: _Source<T> { _Source(node: node) }
}

extension Guarantee where T: Sendable {
  /// Creates a guarantee and has `body` start what will resolve it, on whatever thread:
  ///
  /// ```swift
  /// Guarantee<Int> { seal in DispatchQueue.global().async { seal(compute()) } }
  /// ```
  ///
  /// The guarantee keeps its loop running as a promise does; see ``Resolver``.
  ///
  /// - Parameters:
  ///   - body: Called once, before this returns, with the function that resolves the guarantee; the
  ///     first call of that counts.
  ///   - file: Where this is called, for reports in debug builds.
  ///   - line: The line there.
  @inlinable
  public init(
    file: StaticString = #fileID, line: UInt = #line, resolver body: (@escaping @Sendable (T) -> Void) -> Void
  ) {
    let root = Root(file, line, flags: [.isRoot, .isGuarantee])
    node = root
    let resolver = Resolver<T>(RemoteTicket.open(root))
    body { resolver.fulfill($0) }
  }

  /// A guarantee that waits to be resolved, and the function that does it, on whatever thread.
  @inlinable
  public static func pending(
    file: StaticString = #fileID, line: UInt = #line
  ) -> (guarantee: Guarantee<T>, resolve: @Sendable (T) -> Void) {
    let root = Root(file, line, flags: [.isRoot, .isGuarantee])
    let resolver = Resolver<T>(RemoteTicket.open(root))
    return (Guarantee(node: root), { resolver.fulfill($0) })
  }
}

extension Guarantee where T == Void {
  /// Creates a guarantee that is resolved.
  @inlinable
  public init() { node = ChainNode.fulfilled((), .isGuarantee) }

  /// A guarantee that is resolved.
  @inlinable
  public static var value: Guarantee<Void> { Guarantee() }
}
