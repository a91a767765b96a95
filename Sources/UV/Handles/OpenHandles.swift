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
