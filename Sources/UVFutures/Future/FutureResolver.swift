#if canImport(Combine) || Futures || Everything
public import UV

/// Resolves a future from any thread.
///
/// ```swift
/// let checksum = Future<Int, Never>(on: loop) { resolver in
///   DispatchQueue.global().async { resolver(.success(sum(of: bytes))) }
/// }
/// ```
///
/// The future stays on its loop: the result is sent there, and subscribers receive it there. The loop keeps
/// running until the future is resolved or the resolver is released. If the resolver is released first,
/// subscribers receive nothing.
///
/// Combine's `Future.Promise`.
public struct FutureResolver<Output, Failure: Error>: Sendable {
  @usableFromInline let ticket: RemoteTicket

  @inlinable
  init(_ loop: EventLoop, _ future: Future<Output, Failure>) { ticket = RemoteTicket(future, of: loop) }

  /// Resolves the future; further calls do nothing.
  ///
  /// On the loop's thread, subscribers receive the result before this returns. On other threads, they receive
  /// it when the loop gets to it. After the loop has been shut down, this does nothing.
  ///
  /// Complexity: O(1), and O(*n*) on the loop to deliver to *n* subscribers.
  ///
  /// Combine's `Future.Promise`.
  @inlinable
  public func callAsFunction(_ result: sending Result<Output, Failure>) {
    Future.resolve(ticket, result)
  }
}

extension Future {
  /// A future on `loop`, and what resolves it from any thread.
  ///
  /// JavaScript's `Promise.withResolvers()`.
  @inlinable
  public static func pending(
    on loop: EventLoop
  ) -> (future: Future<Output, Failure>, resolver: FutureResolver<Output, Failure>) {
    let future = Future<Output, Failure>()
    return (future, FutureResolver(loop, future))
  }

  /// Creates a future on `loop` and calls `attemptToFulfill` at once, with what resolves it from any thread.
  @inlinable
  public convenience init(
    on loop: EventLoop, _ attemptToFulfill: (FutureResolver<Output, Failure>) -> Void
  ) {
    self.init()
    attemptToFulfill(FutureResolver(loop, self))
  }
}
#endif
