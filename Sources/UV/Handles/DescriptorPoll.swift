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

/// A set of descriptors with one bit for each. Adding, removing and looking up a descriptor takes constant
/// time.
struct DescriptorSet {
  private var words: [UInt64] = []

  func contains(_ descriptor: Int32) -> Bool {
    let (word, bit) = Self.place(of: descriptor)
    return word < words.count && words[word] & bit != 0
  }

  mutating func insert(_ descriptor: Int32) {
    let (word, bit) = Self.place(of: descriptor)
    while words.count <= word { words.append(0) }
    words[word] |= bit
  }

  mutating func remove(_ descriptor: Int32) {
    assert(contains(descriptor), "a handle gives back a descriptor that it doesn't own")
    let (word, bit) = Self.place(of: descriptor)
    words[word] &= ~bit
  }

  private static func place(of descriptor: Int32) -> (word: Int, bit: UInt64) {
    (Int(descriptor) >> 6, 1 << UInt64(descriptor & 63))
  }
}

/// The operations that a descriptor is ready for.
///
/// The corresponding libuv type is `uv_poll_event`.
public struct PollEvents: OptionSet, Hashable, Sendable {
  /// The bits of the set, as libuv defines them.
  public let rawValue: Int32
  /// Creates a set from libuv's bits.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// The descriptor has something to read, or has reached its end.
  public static let readable = PollEvents(rawValue: Int32(UV_READABLE.rawValue))
  /// The descriptor has room to write.
  public static let writable = PollEvents(rawValue: Int32(UV_WRITABLE.rawValue))
  /// The peer has ended its writing side, or the connection.
  public static let disconnect = PollEvents(rawValue: Int32(UV_DISCONNECT.rawValue))
  /// The descriptor has urgent data, such as out-of-band data.
  public static let prioritized = PollEvents(rawValue: Int32(UV_PRIORITIZED.rawValue))
}

/// A source that delivers an element whenever a descriptor is ready. Use it for descriptors that another
/// library owns and reads itself.
///
/// ```swift
/// let watcher = try loop.poll(connection.socket, for: .readable)
/// for try await _ in watcher { connection.receive() }
/// ```
///
/// A descriptor stays ready until somebody reads it or writes to it. Until then the watcher delivers an
/// element each time that one is asked for.
///
/// The watcher polls a duplicate of the descriptor, so the owner may close the original whenever it likes.
/// The connection or file behind it stays open until the watcher is closed too. For the same reason a
/// descriptor may have several watchers. You may also watch the descriptor of one of the loop's own
/// connections; the watcher doesn't take it over.
///
/// The corresponding libuv type is `uv_poll_t`.
public final class PollWatcher: SourceHandle<PollEvents> {
  /// The events that the watcher waits for.
  public let events: PollEvents

  private var handle: UnsafeMutablePointer<uv_poll_t> { block.raw.assumingMemoryBound(to: uv_poll_t.self) }

  init(loop: EventLoop, fileDescriptor: Int32, events: PollEvents) throws(UVError) {
    self.events = events
    guard !events.isEmpty, events.isSubset(of: [.readable, .writable, .disconnect, .prioritized]) else {
      throw UVError(.invalidArgument, operation: "poll_start", subject: "events \(events.rawValue)")
    }
    let duplicate = cuv_duplicate(fileDescriptor)
    try check(duplicate, "poll_init", "descriptor \(fileDescriptor)")
    do throws(UVError) {
      try super.init(loop: loop, "poll", size: MemoryLayout<uv_poll_t>.size, "poll_init") { raw in
        uv_poll_init(loop.raw, raw.assumingMemoryBound(to: uv_poll_t.self), duplicate)
      }
    } catch {
      _ = CUV.close(duplicate)
      let type = HandleType(guessing: fileDescriptor)
      throw UVError(error.code, operation: error.operation, subject: "descriptor \(fileDescriptor) (\(type))")
    }
    block.ownPolledDescriptor(duplicate)
  }

  override func startProducing() throws(UVError) {
    try check(uv_poll_start(handle, events.rawValue, didPoll), "poll_start")
  }

  override func stopProducing() { uv_poll_stop(handle) }

  fileprivate func receive(_ code: Int32, _ events: PollEvents) {
    loop.callback {
      if code < 0 {
        // libuv has stopped polling because of an error on the descriptor. The descriptor's owner may ask the
        // system which error it is.
        source.finish(failure(code, "poll"))
        letGo(.source)
      } else if source.hasDemand {
        source.deliver(events)
      }
    }
    source.pauseIfUnwanted()
  }
}

extension EventLoop {
  /// Watches a descriptor. The source ends with `badDescriptor` if there is an error on the descriptor.
  ///
  /// - Parameters:
  ///   - fileDescriptor: The descriptor of a socket, a pipe, a terminal or the like. It is made non-blocking,
  ///     and still belongs to the caller.
  ///   - events: What to watch for, at least one event.
  /// - Throws: `badDescriptor` if the descriptor isn't open; `notPermitted` if it can't be polled, such as a
  ///   regular file; `tooManyOpenFiles`; `invalidArgument` if `events` is empty.
  ///
  /// The corresponding libuv functions are `uv_poll_init`, `uv_poll_start` and `uv_poll_stop`.
  public func poll(_ fileDescriptor: Int32, for events: PollEvents) throws(UVError) -> PollWatcher {
    try PollWatcher(loop: self, fileDescriptor: fileDescriptor, events: events)
  }
}

private func didPoll(_ handle: UnsafeMutablePointer<uv_poll_t>?, _ code: Int32, _ events: Int32) {
  owner(of: handle!, as: PollWatcher.self).receive(code, PollEvents(rawValue: events))
}
