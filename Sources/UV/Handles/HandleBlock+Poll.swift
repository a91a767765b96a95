import CUV

/// A listening socket, which is polled by a libuv handle of its own beside the one that has the descriptor.
///
/// The poll never keeps the loop running, since it rests while nobody asks for a connection. The loop counts the
/// listener as work instead.
extension HandleBlock {
  /// Whether the handle is a listener.
  var isListening: Bool { header.pointee.poll != nil }

  /// Makes the handle a listener on its descriptor. Returns 0 or a libuv error code.
  func preparePoll(_ descriptor: Int32) -> Int32 {
    let poll = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
    let code = uv_poll_init(header.pointee.loop.raw, poll, descriptor)
    if code < 0 {
      poll.deallocate()
      return code
    }
    uv_unref(cuv_handle(poll))
    header.pointee.poll = poll
    keepRunning(true)
    return 0
  }

  /// Has libuv call `callback` while connections wait, with a handle whose data is `context`.
  func startPoll(_ context: UnsafeMutableRawPointer, _ callback: @escaping uv_poll_cb) -> Int32 {
    guard let poll = header.pointee.poll else { return UV_EBADF.rawValue }
    cuv_handle_set_data(poll, context)
    return uv_poll_start(poll, Int32(UV_READABLE.rawValue), callback)
  }

  func stopPoll() {
    if let poll = header.pointee.poll { uv_poll_stop(poll) }
  }

  /// Chooses whether a listener keeps its loop running.
  func keepRunning(_ isKept: Bool) {
    guard header.pointee.isKeepingLoop != isKept else { return }
    header.pointee.isKeepingLoop = isKept
    if isKept { header.pointee.loop.keepRunning() } else { header.pointee.loop.ceaseToKeepRunning() }
  }

  /// Called when the handle closes.
  func closePoll() {
    guard let poll = header.pointee.poll.take() else { return }
    keepRunning(false)
    let loop = header.pointee.loop
    // Sound: a loop outlives its handles.
    cuv_handle_set_data(poll, Unmanaged.passUnretained(loop).toOpaque())
    closeInternal(poll, of: loop)
  }
}
