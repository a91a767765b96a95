/// A publisher that stays on its loop's thread.
///
/// The publishers of this module conform to it: ``Future``, those of requests and event sources, and what the
/// operators below make of them. Nothing here takes a lock, and delivery happens on the thread that delivers;
/// to come to the loop from elsewhere there are ``FutureResolver`` and `receive(on:)`.
///
/// A loop publisher is a publisher like any other: every operator of Combine's works on it. Those that are used
/// on every request (`map`, `flatMap`, `sink`, `values`) have a form of their own here, with the same meaning,
/// that costs an object and no lock per subscription, and that takes chains of any depth without
/// running out of stack.
///
/// Combine's `Publisher`.
public protocol LoopPublisher<Output, Failure>: Publisher {}

/// The publishers that operators on a ``LoopPublisher`` return, as `Publishers` has those of Combine.
///
/// Combine's `Publishers`.
public enum LoopPublishers {
  /// Stands for the transformation of an error that cannot be.
  @inlinable
  static func impossible<T>(_: Never) -> T {}
}
