/// A handle of a loop, in a ``LoopSnapshot``.
public struct HandleSnapshot: Hashable, Sendable, Codable {
  /// The type of the handle.
  public var type: HandleType
  /// Whether the handle is a socket that listens.
  public var isListener = false
  /// Whether the handle is a connection that came through a listener.
  public var isAccepted = false
  /// The handle's file descriptor, or nil if it has none.
  public var fileDescriptor: Int32?
  /// The address of this end of a socket, or the path of a pipe.
  public var localAddress: String?
  /// The address of the other end.
  public var peerAddress: String?
  /// The smoothed round-trip time of a TCP connection, in microseconds. Nil if the system doesn't say.
  public var roundTripMicroseconds: Int?
  /// How many packets a TCP connection has sent again, for they were lost or late.
  public var retransmissionCount: Int?
  /// The handle's other subject: the path that is watched, the signal or the process.
  public var subject: String?
  /// How long ago the handle was made.
  public var age: Duration
  /// How many bytes wait to be written or sent.
  public var queuedByteCount = 0
  /// Whether somebody waits for the handle's next element: the reader of a connection, or who accepts.
  public var isAwaited = false
  /// See ``Handle/isActive``.
  public var isActive = false
  /// See ``Handle/keepsLoopRunning``.
  public var keepsLoopRunning = false
  /// See ``Handle/isClosing``.
  public var isClosing = false
  /// When a ``LoopTimer`` fires next; nil for other handles.
  public var dueIn: Duration?

  /// Creates a handle's snapshot. Set what else there is to say about it.
  package init(type: HandleType, age: Duration) {
    self.type = type
    self.age = age
  }
}

/// A sleep or a timeout of a loop, in a ``LoopSnapshot``.
public struct TimerSnapshot: Hashable, Sendable, Codable {
  /// The time until the timer fires; zero if it is due.
  public var dueIn: Duration
  /// Whether the timer keeps the loop running. The timeouts of streams don't.
  public var keepsLoopRunning: Bool

  /// Creates a timer's snapshot.
  package init(dueIn: Duration, keepsLoopRunning: Bool = true) {
    self.dueIn = dueIn
    self.keepsLoopRunning = keepsLoopRunning
  }
}
