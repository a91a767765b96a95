import CUV

/// The handles of a loop that libuv hasn't let go of yet.
struct OpenHandles {
  /// The list of the handles' memory, the latest first.
  var first: UnsafeMutablePointer<HandleBlock.Header>?
  var count = 0
  /// The descriptors that the handles own. A descriptor has only one owner.
  var descriptors = DescriptorSet()
  /// How many came through a listener.
  var acceptedCount = 0
  /// The listeners that wait until one of those closes. Sound: a listener that closes is taken out.
  var fullListeners: [Unmanaged<Handle>] = []
  var standardStreams = StandardStreams()
}

extension EventLoop {
  /// The connections that came through a listener and are not closed.
  package var openConnectionCount: Int { openHandles.acceptedCount }

  func link(_ block: HandleBlock) {
    assertOnLoop()
    assert(
      block.header.pointee.next == nil && block.header.pointee.previous == nil, "a handle is listed twice")
    block.header.pointee.next = openHandles.first
    openHandles.first?.pointee.previous = block.header
    openHandles.first = block.header
    openHandles.count += 1
  }

  func unlink(_ block: HandleBlock) {
    assertOnLoop()
    assert(block.header.pointee.previous != nil || openHandles.first == block.header, "a handle isn't listed")
    let (previous, next) = (block.header.pointee.previous, block.header.pointee.next)
    if let previous { previous.pointee.next = next } else { openHandles.first = next }
    next?.pointee.previous = previous
    openHandles.count -= 1
    guard block.header.pointee.role == .accepted else { return }
    openHandles.acceptedCount -= 1
    assert(openHandles.count >= openHandles.acceptedCount && openHandles.acceptedCount >= 0)
    for listener in openHandles.fullListeners { listener.takeUnretainedValue().connectionClosed() }
    ending.service?.connectionClosed()
  }

  /// Calls `body` with each handle that is not closed yet.
  func forEachHandle(_ body: (HandleBlock) -> Void) {
    assertOnLoop()
    var header = openHandles.first
    while let current = header {
      header = current.pointee.next
      body(HandleBlock(header: current))
    }
  }

  /// Closes every handle that is still open. Another thread may be dropping the owner of an idle handle at
  /// this moment. So this touches only an owner that retains itself.
  func closeHandles() {
    forEachHandle { block in
      if let owner = block.header.pointee.retainedOwner {
        owner.takeUnretainedValue().startClosing()
      } else {
        block.close()
      }
    }
    openHandles.standardStreams.drop()
  }
}

extension EventLoop {
  /// Throws if a handle of the loop has that descriptor already. libuv itself only checks the handles that it
  /// polls.
  func checkUnowned(_ descriptor: Int32, _ operation: String) throws(UVError) {
    guard descriptor >= 0, openHandles.descriptors.contains(descriptor) else { return }
    throw UVError(.fileExists, operation: operation, subject: "descriptor \(descriptor)")
  }

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
