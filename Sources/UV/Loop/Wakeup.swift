import CUV

/// Wakes a loop that sleeps in its poll. It is an eventfd on Linux, and libuv's own async handle elsewhere.
///
/// The inbox signals it only while the inbox takes messages. The loop closes it only after it has closed the
/// inbox.
final class Wakeup: Sendable {
  #if os(Linux)
  private let descriptor: Int32
  // Sound: touched only on the loop's thread; freed in its close callback.
  nonisolated(unsafe) private let handle = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
  // Sound: touched only on the loop's thread.
  nonisolated(unsafe) private var isByEdge = false
  // Sound: touched only on the loop's thread.
  nonisolated(unsafe) private var vainWakes = 0
  /// How many wake-ups in a row may be in vain before the descriptor is looked at.
  private static let mostVainWakes = 8

  init() throws(UVError) {
    descriptor = cuv_eventfd()
    do throws(UVError) { try check(descriptor, "eventfd") } catch {
      handle.deallocate()
      throw error
    }
  }

  func attach(to loop: EventLoop) throws(UVError) {
    let code = uv_poll_init(loop.raw, handle, descriptor)
    if code < 0 {
      handle.deallocate()
      CUV.close(descriptor)
    }
    try check(code, "poll_init")
    cuv_handle_set_data(handle, Unmanaged.passUnretained(loop).toOpaque())
    try check(uv_poll_start(handle, Int32(UV_READABLE.rawValue), wakeupCallback), "poll_start")
    uv_unref(cuv_handle(handle))
  }

  func signal() { cuv_eventfd_signal(descriptor) }

  /// Has the answers of file operations signal it too.
  func serve(_ queue: UnsafeMutablePointer<cuv_file_queue>) { cuv_file_queue_wakes(queue, descriptor) }

  /// Called when the loop has been woken, before it looks for what has come. At the first wake-up the
  /// system certainly polls the descriptor. So it is then asked to report each signal only once. From then
  /// on nothing has to be cleared, which saves a system call.
  ///
  /// If libuv polls the descriptor anew, and not by edge, an old signal wakes the loop again and again.
  /// libuv does that in a child process whose host has called `uv_loop_fork`. The same is then done again.
  func clear(_ loop: EventLoop) {
    if isByEdge, vainWakes < Self.mostVainWakes { return }
    vainWakes = 0
    cuv_eventfd_clear(descriptor)
    isByEdge = cuv_eventfd_by_edge(loop.raw, descriptor)
  }

  /// Called after a wake-up with whether there was something. Now and then nothing is left, because the
  /// loop has found it without the signal, as it often does with files. Several such wake-ups in a row are
  /// rare.
  func didWake(inVain: Bool) { vainWakes = inVain ? vainWakes + 1 : 0 }
  #else
  // Sound: `uv_async_send` is thread-safe, and messages are refused before the handle is closed.
  nonisolated(unsafe) private let handle = UnsafeMutablePointer<uv_async_t>.allocate(capacity: 1)

  init() throws(UVError) {}

  func attach(to loop: EventLoop) throws(UVError) {
    let code = uv_async_init(loop.raw, handle, wakeupCallback)
    if code < 0 { handle.deallocate() }
    try check(code, "async_init")
    cuv_handle_set_data(handle, Unmanaged.passUnretained(loop).toOpaque())
    uv_unref(cuv_handle(handle))
  }

  func signal() { uv_async_send(handle) }

  /// Has the answers of file operations signal it too.
  func serve(_ queue: UnsafeMutablePointer<cuv_file_queue>) { cuv_file_queue_wakes(queue, handle) }

  func clear(_: EventLoop) {}
  func didWake(inVain: Bool) {}
  #endif

  /// Whether waiting for a signal keeps the loop running.
  func keepLoopAlive(_ isKept: Bool) {
    if isKept { uv_ref(cuv_handle(handle)) } else { uv_unref(cuv_handle(handle)) }
  }

  func close(_ loop: EventLoop) {
    closeInternal(handle, of: loop)
    #if os(Linux)
    CUV.close(descriptor)
    #endif
  }
}

#if os(Linux)
private func wakeupCallback(_ handle: UnsafeMutablePointer<uv_poll_t>?, _: Int32, _: Int32) {
  // Sound: the loop closes this handle before it goes.
  Unmanaged<EventLoop>.fromOpaque(cuv_handle_data(handle)).takeUnretainedValue().didWake()
}
#else
private func wakeupCallback(_ handle: UnsafeMutablePointer<uv_async_t>?) {
  // Sound: the loop closes this handle before it goes.
  Unmanaged<EventLoop>.fromOpaque(cuv_handle_data(handle)).takeUnretainedValue().didWake()
}
#endif
