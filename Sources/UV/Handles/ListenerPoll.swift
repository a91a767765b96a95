import CUV

/// The sidecar of a listening socket, which is polled by a libuv handle of its own beside the one that has
/// the descriptor.
///
/// The poll never keeps the loop running, since it rests while nobody asks for a connection. The loop counts
/// the listener as work instead.
final class ListenerPoll: HandleExtension {
  /// The libuv handle, which closes itself; see `closeInternal`.
  let poll = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
  /// Sound: a loop outlives its handles.
  private unowned(unsafe) let loop: EventLoop
  /// The listener. Another thread may drop it at any moment while nobody asks.
  private(set) weak var owner: Handle?
  /// Whether the listener keeps its loop running.
  private(set) var isKeepingLoop = false
  /// The file to look after once the descriptor is closed.
  private var file: SocketFile?

  /// - Parameters:
  ///   - subject: The address, for the error. An error leaves nothing behind.
  ///   - place: Where a successor of this process finds the socket; nil if it isn't to find it.
  init(_ owner: Handle, descriptor: Int32, _ subject: String, _ place: ListeningPlace?) throws(UVError) {
    self.owner = owner
    loop = owner.loop
    super.init()
    let code = uv_poll_init(loop.raw, poll, descriptor)
    if code < 0 {
      poll.deallocate()
      throw failure(code, "listen", subject)
    }
    uv_unref(cuv_handle(poll))
    keepRunning(true)
    if let place { ListeningSockets.add(self, descriptor, place) }
  }

  /// Has libuv call `callback` while connections wait, with a handle whose data is `context`.
  func start(_ context: UnsafeMutableRawPointer, _ callback: @escaping uv_poll_cb) throws(UVError) {
    cuv_handle_set_data(poll, context)
    try check(uv_poll_start(poll, Int32(UV_READABLE.rawValue), callback), "accept")
  }

  func stop() { uv_poll_stop(poll) }

  /// Chooses whether the listener keeps its loop running.
  func keepRunning(_ isKept: Bool) {
    loop.assertOnLoop()
    if isKeepingLoop == isKept { return }
    isKeepingLoop = isKept
    if isKept { loop.keepRunning() } else { loop.ceaseToKeepRunning() }
  }

  /// The poll stops while the descriptor is open, and nobody may copy the descriptor from now on.
  override func handleCloses() {
    stop()
    file = ListeningSockets.remove(self)
  }

  /// The poll closes after the listener, so that libuv reports the listener's close last. libuv has closed
  /// the descriptor by now.
  override func closeBegan() {
    if let file { ListeningSockets.descriptorClosed(file) }
    keepRunning(false)
    cuv_handle_set_data(poll, Unmanaged.passUnretained(loop).toOpaque())
    closeInternal(poll, of: loop)
  }
}

extension HandleBlock {
  /// The poll of a listener; nil if the handle is no listener, or closes. Sound: a listener's sidecar is of
  /// this class.
  var listenerPoll: ListenerPoll? {
    guard header.pointee.role == .listener, let sidecar = header.pointee.sidecar else { return nil }
    return unsafeDowncast(sidecar.takeUnretainedValue(), to: ListenerPoll.self)
  }
}
