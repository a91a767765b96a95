/// Counts of what a loop's streams have done since the loop was made; see ``LoopStatistics``.
struct LoopCounts {
  /// Connections that the loop's listeners have accepted.
  var accepted = 0
  /// How many times a connection couldn't be accepted: the process had no descriptor left, the peer had gone,
  /// or its TLS session couldn't be made.
  var refused = 0
  /// How many times a wait has reached its limit: that of `timeout(after:)`, of `withDeadline`, or a stream's
  /// timeout.
  var timeouts = 0
  /// Bytes that streams have read. On a connection with TLS these are the encrypted bytes.
  var bytesRead = 0
  /// Bytes that the system has taken from streams. A write that waits counts when it ends.
  var bytesWritten = 0
}

extension EventLoop {
  /// The connections that came through a listener and are not closed.
  package var openConnectionCount: Int { openHandles.acceptedCount }
}
