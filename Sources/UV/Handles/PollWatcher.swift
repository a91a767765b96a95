import CUV

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
