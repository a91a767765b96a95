/// The sockets of a channel, which the loop watches for c-ares.
final class ChannelSockets {
  private let loop: EventLoop
  private var watched: [Int32: WatchedSocket] = [:]
  /// Has c-ares read one socket and write to one; -1 for none.
  var process: (_ readable: Int32, _ writable: Int32) -> Void = { _, _ in }

  init(_ loop: EventLoop) { self.loop = loop }

  /// Watches a socket for events; for none, c-ares is about to close it.
  func watch(_ descriptor: Int32, for events: PollEvents) {
    if events.isEmpty {
      watched.removeValue(forKey: descriptor)?.end()
    } else if let socket = watched[descriptor] {
      socket.watch(for: events)
    } else if let socket = WatchedSocket(loop, descriptor, self) {
      watched[descriptor] = socket
      socket.watch(for: events)
    }
    // Without a poll c-ares goes by its time limits, and reports a failure.
  }

  fileprivate func isReady(_ descriptor: Int32, _ events: PollEvents) {
    process(events.contains(.readable) ? descriptor : -1, events.contains(.writable) ? descriptor : -1)
    // c-ares may want the same events again, and then doesn't say so.
    watched[descriptor]?.resume()
  }

  fileprivate func loopEnds(_ descriptor: Int32) { watched[descriptor] = nil }
}

/// A socket of c-ares's.
private final class WatchedSocket: DescriptorPollOwner {
  private let descriptor: Int32
  private weak var sockets: ChannelSockets?
  private var poll: DescriptorPoll?
  private var wanted: PollEvents = []

  /// Nil if the system doesn't watch another descriptor.
  init?(_ loop: EventLoop, _ descriptor: Int32, _ sockets: ChannelSockets) {
    self.descriptor = descriptor
    self.sockets = sockets
    do throws(UVError) { poll = try DescriptorPoll(loop, descriptor: descriptor, owner: self) } catch {
      return nil
    }
  }

  func watch(for events: PollEvents) {
    wanted = events
    resume()
  }

  func resume() { try? poll?.watch(for: wanted) }

  func end() { poll.take()?.end() }

  func descriptorIsReady(for events: PollEvents, hasError: Bool) {
    // Reading and writing show c-ares which error it is.
    sockets?.isReady(descriptor, hasError ? wanted : events)
  }

  func pollWasClosed() {
    poll = nil
    sockets?.loopEnds(descriptor)
  }
}
