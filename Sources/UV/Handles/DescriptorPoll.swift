import CUV

/// The owner of a descriptor that a ``DescriptorPoll`` watches.
package protocol DescriptorPollOwner: AnyObject {
  /// The descriptor is ready. Called on the loop's thread.
  ///
  /// - Parameters:
  ///   - events: What it is ready for.
  ///   - hasError: Whether the system reports an error on the descriptor. The poll has stopped then, and
  ///     `events` is empty.
  func descriptorIsReady(for events: PollEvents, hasError: Bool)

  /// The loop ends, and has closed the poll. It isn't called if the owner has closed the poll itself.
  func pollWasClosed()
}

/// Watches a descriptor that an object of another module owns, for events that may change. The owner closes
/// the descriptor itself, right after it has closed the poll.
///
/// A ``PollWatcher`` is for programs: it has a duplicate of the descriptor, its events are fixed, and it has
/// the four styles. This is for a transport: it makes one system call for each change of the events and none
/// besides, and calls its owner without a closure.
package final class DescriptorPoll: Handle {
  /// Keeps the owner for as long as the poll is open.
  private var owner: (any DescriptorPollOwner)?
  /// The events that are watched for; none by default.
  package private(set) var events: PollEvents = []

  private var poll: UnsafeMutablePointer<uv_poll_t> { block.raw.assumingMemoryBound(to: uv_poll_t.self) }

  /// Makes a poll that watches for nothing yet.
  ///
  /// - Throws: `loopClosed`, `badDescriptor`, and `fileExists` if a handle of the loop has the descriptor.
  package init(
    _ loop: EventLoop, descriptor: Int32, owner: any DescriptorPollOwner
  ) throws(UVError) {
    self.owner = owner
    try loop.checkUnowned(descriptor, "poll_init")
    try super.init(loop: loop, size: MemoryLayout<uv_poll_t>.size, "poll_init") { raw in
      uv_poll_init(loop.raw, raw.assumingMemoryBound(to: uv_poll_t.self), descriptor)
    }
    block.own()
    // Until it closes, also while it rests: the owner is notified when the loop ends.
    keepAlive(.source)
  }

  /// Watches for other events from now on. With none, the poll rests.
  package func watch(for events: PollEvents) throws(UVError) {
    if events == self.events || isClosing { return }
    self.events = events
    if events.isEmpty {
      uv_poll_stop(poll)
    } else {
      try check(uv_poll_start(poll, events.rawValue, didPollDescriptor), "poll_start")
    }
  }

  /// Closes the poll. The descriptor isn't watched any more when this returns, so that the owner can close
  /// it.
  package func end() {
    owner = nil
    startClosing()
  }

  override func didClose() {
    owner.take()?.pollWasClosed()
    super.didClose()
  }

  fileprivate func receive(_ code: Int32, _ events: PollEvents) {
    // libuv has stopped the poll if there is an error.
    if code < 0 { self.events = [] }
    loop.callback { owner?.descriptorIsReady(for: code < 0 ? [] : events, hasError: code < 0) }
  }
}

private func didPollDescriptor(_ handle: UnsafeMutablePointer<uv_poll_t>?, _ code: Int32, _ events: Int32) {
  withOwner(of: handle!, as: DescriptorPoll.self) { $0.receive(code, PollEvents(rawValue: events)) }
}
