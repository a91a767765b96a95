import CUV

/// The operations that a descriptor is ready for.
///
/// The corresponding libuv type is `uv_poll_event`.
public struct PollEvents: OptionSet, Hashable, Sendable {
  /// libuv's value.
  public let rawValue: Int32
  /// A set from libuv's value.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// There is something to read, or the end.
  public static let readable = PollEvents(rawValue: Int32(UV_READABLE.rawValue))
  /// There is room to write.
  public static let writable = PollEvents(rawValue: Int32(UV_WRITABLE.rawValue))
  /// The peer has ended its writing side, or the connection.
  public static let disconnect = PollEvents(rawValue: Int32(UV_DISCONNECT.rawValue))
  /// There is something urgent, such as out-of-band data.
  public static let prioritized = PollEvents(rawValue: Int32(UV_PRIORITIZED.rawValue))
}

/// A source that tells when a descriptor is ready; for descriptors that another library owns and reads itself.
///
/// It goes on telling what has not been dealt with: a descriptor that is not read stays readable.
///
/// ```swift
/// let watcher = try loop.poll(connection.socket, for: .readable)
/// for try await _ in watcher { connection.receive() }
/// ```
///
/// The watcher polls a duplicate of its own, so that the descriptor may be closed whenever its owner likes; what it
/// refers to is closed for good only once the watcher is closed too. For the same reason a descriptor may have several
/// watchers, and be watched while a connection of the loop has it: a watcher takes nothing over.
public final class PollWatcher: SourceHandle<PollEvents> {
  /// The events that are watched for.
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
    block.header.pointee.descriptor = duplicate
    block.own()
  }

  override func startProducing() throws(UVError) {
    try check(uv_poll_start(handle, events.rawValue, didPoll), "poll_start")
  }

  override func stopProducing() { uv_poll_stop(handle) }

  fileprivate func receive(_ code: Int32, _ events: PollEvents) {
    loop.callback {
      if code < 0 {
        // libuv has stopped polling: there is an error on the descriptor, which its owner may ask the system for.
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
  /// Watches a descriptor.
  ///
  /// - Parameters:
  ///   - fileDescriptor: Of a socket, a pipe, a terminal or the like. It is made non-blocking, and remains the
  ///     caller's.
  ///   - events: What to watch for, one at least.
  /// - Throws: `badDescriptor` if it is not open; `notPermitted` for what cannot be polled, such as a regular file;
  ///   `tooManyOpenFiles`; `invalidArgument` for no events.
  ///
  /// The source ends with `badDescriptor` once there is an error on the descriptor.
  ///
  /// The corresponding libuv functions are `uv_poll_init`, `uv_poll_start` and `uv_poll_stop`.
  public func poll(_ fileDescriptor: Int32, for events: PollEvents) throws(UVError) -> PollWatcher {
    try PollWatcher(loop: self, fileDescriptor: fileDescriptor, events: events)
  }
}

private func didPoll(_ handle: UnsafeMutablePointer<uv_poll_t>?, _ code: Int32, _ events: Int32) {
  owner(of: handle!, as: PollWatcher.self).receive(code, PollEvents(rawValue: events))
}
