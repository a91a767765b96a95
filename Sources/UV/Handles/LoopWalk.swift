import CUV

extension EventLoop {
  /// Every handle on the loop, for finding out what keeps the loop running. The handles that the loop needs
  /// for itself are included, and so are a host's. Complexity: O(*n*) in the number of handles.
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
  // This fails for a handle that has no descriptor.
  let hasDescriptor = uv_fileno(handle, &descriptor) == 0
  list!.assumingMemoryBound(to: [LoopHandle].self).pointee.append(
    LoopHandle(
      type: HandleType(uv_handle_get_type(handle)), isActive: uv_is_active(handle) != 0,
      isClosing: uv_is_closing(handle) != 0, keepsLoopRunning: uv_has_ref(handle) != 0,
      fileDescriptor: hasDescriptor ? descriptor : nil))
}
