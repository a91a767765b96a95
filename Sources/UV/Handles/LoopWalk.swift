import CUV

extension EventLoop {
  /// Every handle on the loop, for finding out what keeps the loop running. The handles that the loop needs
  /// for itself are included, and so are a host's. Complexity: O(*n*) in the number of handles.
  ///
  /// The corresponding libuv function is `uv_walk`.
  public var handles: [LoopHandle] {
    assertOnLoop()
    guard !isClosed else { return [] }
    var walk = Walk()
    // libuv doesn't know that these listen; see `ListenerPoll`.
    forEachHandle { block in
      if [.file, .child, .tree].contains(block.header.pointee.role) {
        walk.types[UnsafeRawPointer(block.raw)] = block.type
      }
      guard let listener = block.listenerPoll else { return }
      walk.polls.insert(UnsafeRawPointer(listener.poll))
      walk.listeners[UnsafeRawPointer(block.raw)] = listener.isKeepingLoop
    }
    withUnsafeMutablePointer(to: &walk) { uv_walk(raw, visitHandle, $0) }
    return walk.handles
  }
}

/// The handles of a loop, while they are visited.
private struct Walk {
  var handles: [LoopHandle] = []
  /// The types of the handles that libuv takes for something else.
  var types: [UnsafeRawPointer: HandleType] = [:]
  /// The poll handles that are a part of listeners.
  var polls: Set<UnsafeRawPointer> = []
  /// The listeners, and whether each keeps the loop running.
  var listeners: [UnsafeRawPointer: Bool] = [:]
}

private func visitHandle(_ handle: UnsafeMutablePointer<uv_handle_t>?, _ context: UnsafeMutableRawPointer?) {
  let walk = context!.assumingMemoryBound(to: Walk.self)
  if walk.pointee.polls.contains(UnsafeRawPointer(handle!)) { return }
  let isKeptByListener = walk.pointee.listeners[UnsafeRawPointer(handle!)]
  var descriptor: uv_os_fd_t = -1
  // This fails for a handle that has no descriptor.
  let hasDescriptor = uv_fileno(handle, &descriptor) == 0
  walk.pointee.handles.append(
    LoopHandle(
      type: walk.pointee.types[UnsafeRawPointer(handle!)] ?? HandleType(cuv_handle_type(handle)),
      isActive: isKeptByListener != nil || uv_is_active(handle) != 0,
      isClosing: uv_is_closing(handle) != 0, keepsLoopRunning: isKeptByListener ?? (uv_has_ref(handle) != 0),
      fileDescriptor: hasDescriptor ? descriptor : nil))
}
