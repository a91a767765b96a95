/// Counts of what a loop's streams have done since the loop was made; see ``EventLoop/counts``.
public struct LoopCounts: Hashable, Sendable {
  /// Connections that the loop's listeners have accepted.
  public var accepted = 0
  /// How many times a connection couldn't be accepted: the process had no descriptor left, the peer had gone,
  /// or its TLS session couldn't be made.
  public var refused = 0
  /// How many times a wait has reached its limit: that of `timeout(after:)`, of `withDeadline`, or a stream's
  /// timeout.
  public var timeouts = 0
  /// Bytes that streams have read. On a connection with TLS these are the encrypted bytes.
  public var bytesRead = 0
  /// Bytes that the system has taken from streams. A write that waits counts when it ends.
  public var bytesWritten = 0

  /// Creates counts; for test doubles.
  public init() {}
}

extension EventLoop {
  /// Counts of what the loop's streams have done since the loop was made. Call it on the loop's thread.
  /// Complexity: O(1).
  public var counts: LoopCounts {
    assertOnLoop()
    return microtasks.state.pointee.counts
  }

  /// The connections that came through a listener and are not closed.
  package var openConnectionCount: Int { openHandles.acceptedCount }
}
