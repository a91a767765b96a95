/// A ``Thenable``, or a `Request`: a chain can wait for either, and starts the request.
///
/// ```swift
/// connection.write("ping").promise().then { connection.next() }.done { print($0 as Any) }
/// ```
public protocol Chainable<T> {
  /// The type of the value.
  associatedtype T

  /// The object behind the promise; for the library's own use. That of a request starts it each time.
  var _source: _Source<T> { get }
}

/// Something with an outcome to come: a promise, a guarantee, or a type of your own.
///
/// A type of your own needs ``pipe(to:)`` and ``result``; everything else is built on the former.
///
/// PromiseKit's `Thenable`.
public protocol Thenable<T>: Chainable {
  /// The type of the value.
  associatedtype T

  /// Calls `body` once with the outcome: at once if there is one, else when it comes; on the thread of the
  /// loop.
  func pipe(to body: @escaping (PMKResult<T>) -> Void)

  /// The outcome, nil while it is to come.
  var result: PMKResult<T>? { get }
}

/// The object behind a promise; for the library's own use.
public struct _Source<T> {
  @usableFromInline let node: Node

  @inlinable
  init(node: Node) { self.node = node }
}

extension Thenable {
  /// A promise that takes its outcome from ``Thenable/pipe(to:)``.
  public var _source: _Source<T> {
    let node = Node(flags: [])
    pipe { node.resolve($0) }
    return _Source(node: node)
  }
}

extension Chainable {
  @inlinable
  var node: Node {
    @inline(__always) get { _source.node }
  }
}

// MARK: State

extension Thenable {
  /// The value, nil unless the promise was fulfilled. It waits for nothing; ``Promise/async()`` does.
  @inlinable
  public var value: T? { result?.value }

  /// The error, nil unless the promise was rejected. To have looked at it counts as having handled it.
  @inlinable
  public var error: (any Error)? { result?.error }

  /// Whether there is no outcome yet.
  @inlinable
  public var isPending: Bool { node.state == .pending }

  /// Whether there is an outcome.
  @inlinable
  public var isResolved: Bool { !isPending }

  /// Whether there is a value.
  @inlinable
  public var isFulfilled: Bool { node.state == .fulfilled || node.state == .revoked }

  /// Whether there is an error.
  @inlinable
  public var isRejected: Bool { node.state == .rejected }
}
