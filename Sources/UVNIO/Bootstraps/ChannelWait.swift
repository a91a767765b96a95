#if NIO || NIOBootstraps || Everything
import NIOCore
import Synchronization

/// A task's wait for a channel that is being made. If the task is cancelled, the wait ends at once, whatever
/// the loop does, and the channel is closed.
final class ChannelWait<Output: Sendable>: Sendable {
  private struct State {
    var isCancelled = false
    var continuation: CheckedContinuation<Output, any Error>?
    /// Ends what makes the channel.
    var abandon: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  /// Sets how to end what makes the channel. Both are called on the loop's thread.
  func onCancel(_ loop: UVEventLoop, _ abandon: @escaping @Sendable () -> Void) {
    let isCancelled = state.withLock { state in
      state.abandon = { loop.execute(abandon) }
      return state.isCancelled
    }
    if isCancelled { abandon() }
  }

  func value(of future: EventLoopFuture<(any Channel, Output)>) async throws -> Output {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isCancelled = state.withLock { state in
          if !state.isCancelled { state.continuation = continuation }
          return state.isCancelled
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
        future.whenComplete { self.answer($0) }
      }
    } onCancel: {
      let (continuation, abandon) = state.withLock { state in
        state.isCancelled = true
        return (state.continuation.take(), state.abandon.take())
      }
      abandon?()
      continuation?.resume(throwing: CancellationError())
    }
  }

  private func answer(_ result: Result<(any Channel, Output), any Error>) {
    let continuation = state.withLock { state in
      state.abandon = nil
      return state.continuation.take()
    }
    if let continuation { return continuation.resume(with: result.map { $1 }) }
    // Nobody gets it. Its output, such as a `NIOAsyncChannel`, may not go before the channel is closed.
    if case .success(let (channel, output)) = result {
      channel.close().whenComplete { _ in withExtendedLifetime(output) {} }
    }
  }
}

extension EventLoopFuture {
  /// The output that was made of the channel, for a task. If the task is cancelled, this throws
  /// `CancellationError` at once, and the channel is closed.
  func made<Output: Sendable>() async throws -> Output where Value == (any Channel, Output) {
    try await ChannelWait().value(of: self)
  }
}
#endif
