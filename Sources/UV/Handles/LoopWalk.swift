import CUV

extension EventLoop {
  /// Every handle on the loop, those that it needs for itself and a host's included, for finding what keeps it
  /// running. Complexity: O(*n*).
  ///
  /// The corresponding libuv function is `uv_walk`.
  public var handles: [LoopHandle] {
    guard !isClosed else { return [] }
    var handles: [LoopHandle] = []
    withUnsafeMutablePointer(to: &handles) { uv_walk(raw, visitHandle, $0) }
    return handles
  }
}

private func visitHandle(_ handle: UnsafeMutablePointer<uv_handle_t>?, _ list: UnsafeMutableRawPointer?) {
  var descriptor: uv_os_fd_t = -1
  // Fails for what has none.
  let hasDescriptor = uv_fileno(handle, &descriptor) == 0
  list!.assumingMemoryBound(to: [LoopHandle].self).pointee.append(
    LoopHandle(
      type: HandleType(uv_handle_get_type(handle)), isActive: uv_is_active(handle) != 0,
      isClosing: uv_is_closing(handle) != 0, keepsLoopRunning: uv_has_ref(handle) != 0,
      fileDescriptor: hasDescriptor ? descriptor : nil))
}
