/// Something that can cancel one of its pending requests.
package protocol Cancelling: AnyObject {
  /// Cancels the request that occupies `slot` if its generation still is `generation`.
  func cancel(slot: UInt, generation: UInt)

  /// Cancels the request without calling its completion.
  func drop(slot: UInt, generation: UInt)

  /// The operation that the request waits for; nil if it has ended.
  func awaited(slot: UInt, generation: UInt) -> Awaited?
}

extension Cancelling {
  package func drop(slot: UInt, generation: UInt) { cancel(slot: slot, generation: generation) }
}

/// A request that is under way. Dropping this value does nothing: the request goes on.
public struct PendingRequest {
  let target: (any Cancelling)?
  let slot: UInt
  let generation: UInt

  /// Creates the value for a request that has ended already. Cancelling it does nothing.
  public init() {
    target = nil
    slot = 0
    generation = 0
  }

  /// Creates a pending request that is cancelled by a closure. Use it for a request that is made of other
  /// requests.
  ///
  /// - Parameter cancel: Called on the first ``cancel()``, and at most once.
  public init(_ cancel: @escaping () -> Void) { self.init(CancellationClosure(cancel)) }

  /// Creates a pending request that is cancelled by a closure.
  ///
  /// - Parameters:
  ///   - operation: What is waited for, for ``EventLoop/snapshot(limit:)``.
  ///   - subject: Says more about it.
  ///   - cancel: Called on the first ``cancel()``, and at most once.
  package init(
    _ operation: StaticString, subject: (() -> String?)? = nil, _ cancel: @escaping () -> Void
  ) {
    self.init(CancellationClosure(cancel, operation, subject))
  }

  package init(_ target: any Cancelling, slot: UInt = 0, generation: UInt = 0) {
    self.target = target
    self.slot = slot
    self.generation = generation
  }

  /// Cancels the request. It completes once, with `cancelled`, and releases what it had obtained: for
  /// example, a file that was being opened is closed. Does nothing if the request has completed. Call it on
  /// the loop's thread.
  ///
  /// Work that has begun on the thread pool runs to its end, and its answer is dropped. Bytes that a stream
  /// has handed to the system stay sent.
  ///
  /// The corresponding libuv function is `uv_cancel`.
  public func cancel() { target?.cancel(slot: slot, generation: generation) }

  /// Cancels a request whose completion needn't be called; that of a sleep isn't.
  package func drop() { target?.drop(slot: slot, generation: generation) }

  /// Whether this is the value for a request that has ended already.
  @usableFromInline package var isEmpty: Bool { target == nil }

  /// The operation that the request waits for; nil if it has ended.
  var awaited: Awaited? { target?.awaited(slot: slot, generation: generation) }
}

private final class CancellationClosure: Cancelling {
  private var body: (() -> Void)?
  private let operation: StaticString
  private let subject: (() -> String?)?

  init(
    _ body: @escaping () -> Void, _ operation: StaticString = "request", _ subject: (() -> String?)? = nil
  ) {
    self.body = body
    self.operation = operation
    self.subject = subject
  }

  func cancel(slot: UInt, generation: UInt) {
    let body = self.body
    self.body = nil
    body?()
  }

  func awaited(slot: UInt, generation: UInt) -> Awaited? {
    Awaited(operation: operation.description, subject: subject?())
  }
}
