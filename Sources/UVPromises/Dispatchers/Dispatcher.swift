import Dispatch
import UV

/// When a handler runs on its own loop. Such handlers may use whatever the place where they are written can
/// see; those for other threads are named by a ``Dispatcher``.
///
/// Where a method takes `on: LoopDispatcher?`, nil is ``inline``, as PromiseKit's `on: nil`.
public struct LoopDispatcher: Hashable, Sendable {
  @usableFromInline let isInline: Bool

  @inlinable
  init(isInline: Bool) { self.isInline = isInline }

  /// As a microtask, once the callback that resolved the promise has returned: the default.
  @inlinable
  public static var microtask: LoopDispatcher { LoopDispatcher(isInline: false) }

  /// Within the call that resolves the promise, or that attaches the handler to a resolved one. Chains of
  /// such handlers run one after the other, not inside each other, however long.
  @inlinable
  public static var inline: LoopDispatcher { LoopDispatcher(isInline: true) }
}

/// Where a handler may run that is not for its own loop: a dispatch queue, another event loop, or a type of
/// your own.
///
/// Such handlers must be `@Sendable`, and the values that go there and come back `Sendable`; the compiler
/// sees to it. The outcome comes back to the loop of the promise.
///
/// A handler may make promises on a thread without a loop. They belong to the loop of the handler's chain.
/// Other threads can resolve them at once, and the loop takes them over when the handler has returned: then
/// it runs what was chained to them, and begins what the handler has asked of it, such as
/// ``after(_:file:line:)-(Duration,_,_)``. A handler that has run on another event loop makes promises of
/// that loop. A handler can't use promises that were made before it.
///
/// PromiseKit 7's `Dispatcher`.
public protocol Dispatcher: Sendable {
  /// Runs `body` once, now or later, on whatever thread. If it is dropped instead, the promise stays pending,
  /// and is reported as such.
  func dispatch(_ body: @escaping @Sendable () -> Void)
}

extension DispatchQueue: Dispatcher {
  /// Runs `body` on the queue.
  public func dispatch(_ body: @escaping @Sendable () -> Void) { async(execute: body) }
}

extension LoopExecutor: Dispatcher {
  /// Runs `body` on the loop.
  public func dispatch(_ body: @escaping @Sendable () -> Void) { try? execute { _ in body() } }
}

/// A queue that may be left out: nil runs handlers at once, as `on: nil` does.
extension Optional: Dispatcher where Wrapped: Dispatcher {
  /// Runs `body` on the dispatcher, if there is one, or at once.
  public func dispatch(_ body: @escaping @Sendable () -> Void) {
    if let self { self.dispatch(body) } else { body() }
  }
}

extension Dispatcher where Self == DispatchQueue {
  /// The system's queues for work at the same time.
  public static func global(qos: DispatchQoS.QoSClass = .default) -> DispatchQueue {
    DispatchQueue.global(qos: qos)
  }
}

/// Runs handlers at once, on the thread where they become due.
///
/// PromiseKit 7's `CurrentThreadDispatcher`. Where the handler may stay on its loop, `on: nil` does the same
/// and asks for nothing to be `Sendable`.
public struct CurrentThreadDispatcher: Dispatcher {
  /// Creates one; they are all the same.
  public init() {}

  /// Runs `body`.
  public func dispatch(_ body: @escaping @Sendable () -> Void) { body() }
}
