import CUV

/// Leaves a listening socket alone for a while when the system has no descriptor or memory for its
/// connections.
///
/// The connections stay in the system's queue. They are tried again after 5 ms, and then after twice the time
/// each, up to a second.
package final class AcceptBackoff {
  private static let shortest = Duration.milliseconds(5)
  private static let longest = Duration.seconds(1)

  private let loop: EventLoop
  private var delay = shortest
  private var timer: PendingRequest?

  package init(_ loop: EventLoop) { self.loop = loop }

  /// Whether a code of libuv's, which is negative, says that the system has no room for a connection, rather
  /// than that one connection is gone.
  package static func isNeeded(_ code: Int32) -> Bool {
    switch code {
    case UV_EMFILE.rawValue, UV_ENFILE.rawValue, UV_ENOMEM.rawValue, UV_ENOBUFS.rawValue: true
    default: false
    }
  }

  /// Calls `resume` after the next delay, unless ``end()`` is called before.
  package func begin(_ resume: @escaping () -> Void) {
    timer = loop.sleep(for: delay) { [self] result in
      timer = nil
      if case .success = result { resume() }
    }
    delay = min(delay * 2, Self.longest)
  }

  /// A connection was accepted.
  package func succeed() { delay = Self.shortest }

  /// The listener is closed, or nobody asks any more.
  package func end() { timer.take()?.cancel() }
}
