#if canImport(Combine) || Futures || Everything
import UV

/// A loop's subscription as a subscriber of another library gets it, which may call it on any thread.
///
/// The operators of this module stay on their loop's thread. Others don't: behind `receive(on: queue)`,
/// demand and cancellation come from that queue. On the loop's thread a call passes at once. One from another
/// thread goes there, and calls from one thread stay in their order.
@usableFromInline
// Sound: the subscription is used on the loop's thread, or to cancel it after the loop's end.
final class LoopLink: FrontSubscription, @unchecked Sendable {
  private let link: Link
  private let executor: LoopExecutor

  private init(_ link: Link, _ executor: LoopExecutor) {
    self.link = link
    self.executor = executor
  }

  /// A link that may be used on any thread in place of `link`.
  static func front(of link: Link) -> Link {
    // Another library's publisher takes calls from any thread itself, and where there is no loop, a gate
    // does.
    guard !(link is ForeignLink), let loop = EventLoop.current else { return link }
    return LoopLink(link, loop.executor)
  }

  /// The subscription that a subscriber of another library gets in place of `link`.
  @usableFromInline
  static func given(for link: Link) -> any Subscription { (link as? ForeignLink)?.base ?? front(of: link) }

  @usableFromInline
  var upstream: (any Subscription)? { link }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    if executor.isOnLoop {
      link.request(demand)
    } else {
      executor.requestFromElsewhere { [self] in link.request(demand) }
    }
  }

  @usableFromInline
  func cancel() {
    if executor.isOnLoop { link.cancel() } else { executor.cancelFromElsewhere { [self] in link.cancel() } }
  }
}

extension LoopExecutor {
  /// Has `body` ask something of the loop's for more, for a caller on another thread. It is dropped if the
  /// loop has ended: nothing can be delivered any more.
  func requestFromElsewhere(_ body: @escaping () -> Void) {
    // Sound: it runs once, on the loop's thread.
    let transfer = UnsafeTransfer(body)
    try? execute { _ in transfer.value() }
  }

  /// Has `body` cancel something of the loop's, for a caller on another thread: when the loop comes to it,
  /// or, if the loop has ended, here.
  func cancelFromElsewhere(_ body: @escaping () -> Void) {
    // Sound: it runs once, on the loop's thread, or after the loop's end.
    let transfer = UnsafeTransfer(body)
    do throws(UVError) { try execute { _ in transfer.value() } } catch { body() }
  }
}

extension EventLoop {
  /// The current loop; without one the program stops with a sentence that says what needs it.
  static func needed(for what: String) -> EventLoop {
    guard let current else { fatalError("\(what) needs an event loop: do it inside EventLoop.run") }
    return current
  }
}
#endif
