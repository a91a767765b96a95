#if canImport(Combine) || Futures || Everything
/// A publisher that stays on its loop's thread.
///
/// The publishers of this module conform to it: ``Future``, those of requests and event sources, and what the
/// operators below make of them. Nothing here takes a lock, and delivery happens on the thread that delivers;
/// to come to the loop from elsewhere there are ``FutureResolver`` and `receive(on:)`.
///
/// A loop publisher is a publisher like any other: every operator of Combine's works on it. Those that are
/// used on every request (`map`, `flatMap`, `sink`, `values`) have a form of their own here, with the same
/// meaning, that costs an object and no lock per subscription, and that takes chains of any depth without
/// running out of stack.
///
/// These operators return a loop publisher:
///
/// | Operator | Of |
/// |---|---|
/// | `map` of a closure, `flatMap` | a loop publisher, a sequence's publisher |
/// | `delay`, `debounce`, `throttle`, `timeout` with an `EventLoop` as the scheduler | any publisher |
/// | `merge(with:)`, `combineLatest` | any publishers; on Linux |
/// | `eraseToAnyLoopPublisher()` | any publisher |
///
/// All others, such as `filter`, `last`, `append`, `collect()`, `ignoreOutput`, `replaceEmpty` and `map(\.name)`
/// of a key path, are Combine's own and return Combine's publishers. Write `map { $0.name }`, and end other such
/// chains with `eraseToAnyLoopPublisher()`, where a loop publisher is asked for.
///
/// Combine's `Publisher`.
public protocol LoopPublisher<Output, Failure>: Publisher {
  /// Which `map` is meant: that of ``LoopPublisher`` unless a type says otherwise. The compiler tries every
  /// overload that fits at each step of a chain, so that one more for all would square the time of each two.
  associatedtype Mapping = LoopPublishers.PlainMapping
}

/// The publishers that operators on a ``LoopPublisher`` return, as `Publishers` has those of Combine.
///
/// Combine's `Publishers`.
public enum LoopPublishers {
  /// The `map` of ``LoopPublisher`` is meant.
  public enum PlainMapping {}

  /// The type has a `map` of its own.
  public enum OwnMapping {}
}
#endif
