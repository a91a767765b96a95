/// Something that can cancel one of its pending requests.
protocol Cancelling: AnyObject {
  /// Cancels the request that occupies `slot` if its generation still is `generation`.
  func cancel(slot: UInt, generation: UInt)
}

/// A request under way. Letting go of it does nothing; the request goes on.
public struct PendingRequest {
  private let target: (any Cancelling)?
  private let slot: UInt
  private let generation: UInt

  /// A request that has ended already: cancelling it does nothing.
  public init() {
    target = nil
    slot = 0
    generation = 0
  }

  /// A request whose cancellation is a closure; for requests made of others. It is called at most once.
  public init(_ cancel: @escaping () -> Void) { self.init(CancellationClosure(cancel)) }

  init(_ target: any Cancelling, slot: UInt = 0, generation: UInt = 0) {
    self.target = target
    self.slot = slot
    self.generation = generation
  }

  /// Cancels the request: it completes once, with `cancelled`, and what it had obtained is released (a file that
  /// was being opened is closed). Does nothing if the request has completed. On the loop's thread.
  ///
  /// Work that has begun on the thread pool runs to its end unseen; bytes that a stream has handed to the system
  /// stay sent.
  ///
  /// The corresponding libuv function is `uv_cancel`.
  public func cancel() { target?.cancel(slot: slot, generation: generation) }
}

private final class CancellationClosure: Cancelling {
  private var body: (() -> Void)?
  init(_ body: @escaping () -> Void) { self.body = body }

  func cancel(slot: UInt, generation: UInt) {
    let body = self.body
    self.body = nil
    body?()
  }
}
