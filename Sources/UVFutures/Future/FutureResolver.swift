import Synchronization
public import UV

/// Resolves a future from any thread.
///
/// ```swift
/// let checksum = Future<Int, Never>(on: loop) { resolver in
///   DispatchQueue.global().async { resolver(.success(sum(of: bytes))) }
/// }
/// ```
///
/// The future stays on its loop: the result goes there, and subscribers hear it there. The loop keeps running
/// until the future has been resolved or the resolver let go; then, if it was not called, the future's
/// subscribers never hear anything.
///
/// Combine's `Future.Promise`.
public final class FutureResolver<Output, Failure: Error>: Sendable {
  private let executor: LoopExecutor
  // Sound: only carried here; it is touched on the loop's thread.
  private let slot: UnsafeTransfer<ResolverSlot<Output, Failure>>
  /// Whether a result is on its way to the loop; what closes the slot must not come before it.
  private let hasSent = Atomic<Bool>(false)

  init(_ loop: EventLoop, _ future: Future<Output, Failure>) {
    executor = loop.executor
    slot = UnsafeTransfer(ResolverSlot(loop, future))
  }

  deinit { send { $0.close() } }

  /// Resolves the future; further calls do nothing.
  ///
  /// On the loop's thread subscribers are told before this returns, elsewhere when the loop comes to it. If the
  /// loop has been shut down nothing happens.
  ///
  /// Complexity: O(1), and O(*n*) on the loop to deliver to *n* subscribers.
  ///
  /// Combine's `Future.Promise`.
  public func callAsFunction(_ result: sending Result<Output, Failure>) {
    // Sound: the caller gives the result up, and the loop takes it.
    let transfer = UnsafeTransfer(result)
    send { $0.resolve(transfer.value) }
  }

  private func send(_ action: @escaping @Sendable (ResolverSlot<Output, Failure>) -> Void) {
    let slot = slot
    if executor.isOnLoop, !hasSent.load(ordering: .acquiring) { return action(slot.value) }
    hasSent.store(true, ordering: .releasing)
    do throws(UVError) {
      try executor.execute { _ in action(slot.value) }
    } catch {
      // The loop has ended, and with it everything that could be told.
    }
  }
}

/// What a resolver has on the loop.
private final class ResolverSlot<Output, Failure: Error> {
  private var future: Future<Output, Failure>?
  private let loop: EventLoop

  init(_ loop: EventLoop, _ future: Future<Output, Failure>) {
    self.loop = loop
    self.future = future
    loop.beginWork()
  }

  func resolve(_ result: Result<Output, Failure>) {
    guard let future else { return }
    close()
    future.settle(with: result)
  }

  func close() {
    guard future != nil else { return }
    future = nil
    loop.endWork()
  }
}

extension Future {
  /// A future on `loop`, and what resolves it from any thread.
  ///
  /// JavaScript's `Promise.withResolvers()`.
  public static func pending(
    on loop: EventLoop
  ) -> (future: Future<Output, Failure>, resolver: FutureResolver<Output, Failure>) {
    let future = Future<Output, Failure>()
    return (future, FutureResolver(loop, future))
  }

  /// Creates a future on `loop` and calls `attemptToFulfill` at once, with what resolves it from any thread.
  ///
  /// Combine's `Future.init(_:)`.
  public convenience init(
    on loop: EventLoop, _ attemptToFulfill: (FutureResolver<Output, Failure>) -> Void
  ) {
    self.init()
    attemptToFulfill(FutureResolver(loop, self))
  }
}
