import UV

/// Completes a future from any thread.
///
/// The future stays on its loop: the result is sent there, and the chain hears it there. The loop keeps
/// running until the future is completed or the last copy of this is released. If that is released first, the
/// chain hears nothing.
///
/// RxStream's `completion`, of `Future.init(dispatch:task:)`.
public struct FutureCompletion<Output, Failure: Error>: Sendable {
  let ticket: RemoteTicket

  init(_ loop: EventLoop, _ future: Future<Output, Failure>) { ticket = RemoteTicket(future, of: loop) }

  /// Completes the future; further calls do nothing.
  ///
  /// On the loop's thread, the chain hears the result before this returns. On other threads, it hears it when
  /// the loop gets to it. After the loop has been shut down, this does nothing.
  public func callAsFunction(_ result: sending Result<Output, Failure>) { resolve(result) }

  /// The same for a caller who has to see to it that the result is used by one thread at a time.
  func resolve(_ result: Result<Output, Failure>) {
    guard ticket.claim() else { return }
    // Sound: the caller gives the result up, and the loop takes it.
    let transfer = UnsafeTransfer(result)
    ticket.completeNow {
      // Sound: what the ticket was made for.
      unsafeDowncast($0, to: Future<Output, Failure>.self).settle(Settlement(transfer.value))
    }
  }
}

/// A loop runs until a future is completed that was made on it. Its chain gets nothing if that doesn't
/// happen.
extension Future: Answerable {
  @usableFromInline package final var keepsLoopRunning: Bool { outcome == nil }
  @usableFromInline package final var nameIfForsaken: String? { outcome == nil ? "\(type(of: self))" : nil }
  @usableFromInline package final func forsake() {}
}
