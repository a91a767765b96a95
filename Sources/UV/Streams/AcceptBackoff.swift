import CUV

/// Leaves a listening socket alone for a while when the system has no descriptor or memory for its
/// connections.
///
/// libuv keeps a spare descriptor, with which it drops the waiting connections. If that descriptor has gone
/// too, libuv accepts again and again, inside one callback and without an end; see its old issue 1189. Here
/// the connections stay in the system's queue. They are tried again after 5 ms, and then after twice the time
/// each, up to a second.
final class AcceptBackoff {
  private static let shortest = Duration.milliseconds(5)
  private static let longest = Duration.seconds(1)

  // Sound: the listener owns this object. While the socket is taken away from it, the listener also retains
  // itself.
  private unowned(unsafe) let listener: Handle
  private let loop: EventLoop
  private var delay = shortest
  /// The socket, while libuv must not see it.
  private var descriptor: Int32 = -1
  private var isAway = false
  private var timer = PendingRequest()

  init(_ listener: Handle) {
    self.listener = listener
    loop = listener.loop
  }

  private var stream: UnsafeMutablePointer<uv_stream_t> { cuv_stream(listener.block.raw) }

  /// Called with the code that libuv's connection callback got.
  func note(_ code: Int32) {
    switch code {
    case UV_EMFILE.rawValue, UV_ENFILE.rawValue, UV_ENOMEM.rawValue, UV_ENOBUFS.rawValue: begin()
    // Any other error concerns one connection, whose peer has gone. The listener goes on.
    case ..<0: break
    default: delay = Self.shortest
    }
  }

  private func begin() {
    #if os(Linux)
      guard !isAway, !listener.isClosing else { return }
      isAway = true
      listener.keepAlive(.backoff)
      descriptor = cuv_listener_hide(stream)
      // By the next turn libuv has seen that it has nothing to accept from.
      timer = loop.sleep(for: .zero) { [self] result in
        guard case .success = result else { return }
        restore()
        wait()
      }
    #endif
  }

  private func wait() {
    timer = loop.sleep(for: delay) { [self] result in
      guard case .success = result else { return }
      resume()
    }
    delay = min(delay * 2, Self.longest)
  }

  private func restore() {
    #if os(Linux)
      if descriptor >= 0 { cuv_listener_restore(stream, descriptor) }
      descriptor = -1
    #endif
  }

  private func resume() {
    #if os(Linux)
      // There may be no memory for watching either.
      if cuv_listener_watch(stream) < 0 { return wait() }
    #endif
    isAway = false
    listener.letGo(.backoff)
  }

  /// The listener is about to close.
  func close() {
    guard isAway else { return }
    timer.cancel()
    restore()
    isAway = false
    listener.letGo(.backoff)
  }
}
