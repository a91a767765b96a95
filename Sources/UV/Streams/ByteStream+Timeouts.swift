import CUV

/// How long to wait for the peer.
///
/// A timeout counts only while the program waits for the peer: while somebody asks for bytes, or a write
/// waits for room. The time that the program itself takes doesn't count, and no timeout is early by the
/// clock. Activity costs no timer: it notes the time.
extension ByteStream {
  /// How long a reader waits for bytes; nil, the default, for ever.
  ///
  /// ```swift
  /// connection.readTimeout = .seconds(60)
  /// for try await chunk in connection { … }   // throws timedOut if a minute passes without a byte
  /// ```
  ///
  /// Each byte that comes begins the time anew, and so does setting this property. Over TLS it is a byte for the
  /// program that counts: a part of a record, which may have 16 KiB, doesn't, nor does a record without content, such
  /// as new keys. To limit the time of a
  /// whole message, use ``totalTimeout``, ``Request/timeout(after:)`` or `withDeadline`.
  ///
  /// When the time has passed, each reader that waits gets `timedOut`, and the error names this
  /// timeout. The stream stays as it is, and so do writes that wait: you may say goodbye, read again or close
  /// it. A handler that ``start(_:)`` was given has ended.
  ///
  /// The time counts on the clock, ``EventLoop/clock``, from the moment at which the bytes were delivered,
  /// also where the program has computed in that turn of the loop. It is never early, and is rounded up to a
  /// millisecond. Zero or less means until the loop has looked once more for bytes. If the loop is late,
  /// because one of its callbacks takes long, so is the timeout: what has come meanwhile is read first. A
  /// timeout doesn't keep the loop running. A closed stream ignores a new value. If TLS has taken over the
  /// connection and a timeout was set before, or somebody waits for ``quiescing()``, the secured stream takes
  /// it.
  public var readTimeout: Duration? {
    get { timeout(.read) }
    set { setTimeout(.read, newValue) }
  }

  /// How long a write waits for room in the system without any progress; nil, the default, for ever.
  ///
  /// Set it on a connection to a peer that you don't trust: a peer that doesn't read would otherwise keep the
  /// connection, and what you have written to it, for ever. Each byte that the system takes begins the time
  /// anew, from the moment at which that is seen. The end is noticed up to an eighth of the time late, and
  /// never early by the clock. A ``sendfile(_:from:count:)`` is a write, too; the time in which its file is
  /// read doesn't count.
  ///
  /// When the time has passed, the stream is closed, a TCP connection by a reset: a part of the bytes may
  /// have left, so that nothing more can be written. All reads and writes that wait get `timedOut`, and so do
  /// those that begin later. The error names this timeout. Otherwise it is as ``readTimeout``.
  public var writeTimeout: Duration? {
    get { timeout(.write) }
    set { setTimeout(.write, newValue) }
  }

  /// How long to wait for the peer while no byte goes in either direction; nil, the default, for ever. A
  /// byte over TLS counts as with ``readTimeout``; what TLS itself answers doesn't count, either.
  ///
  /// A reader that waits while the program writes is not idle. So this is the timeout for a peer that may be
  /// silent as long as it takes what it gets, such as one that downloads a file or listens to messages. The time
  /// in which a ``sendfile(_:from:count:)`` reads its file doesn't count. Like the other timeouts, it is never
  /// early by the clock.
  ///
  /// When the time has passed while a write waits, the stream ends as with ``writeTimeout``. Otherwise those
  /// who wait for bytes get an error, as with ``readTimeout``. The error names this timeout.
  public var idleTimeout: Duration? {
    get { timeout(.idle) }
    set { setTimeout(.idle, newValue) }
  }

  /// How long to wait for the peer from now on, whatever comes meanwhile; nil, the default, for ever.
  ///
  /// ```swift
  /// connection.totalTimeout = .seconds(20)   // for the whole head of the request
  /// …
  /// connection.totalTimeout = nil            // until the next one begins
  /// ```
  ///
  /// Bytes don't begin this time anew, only setting the property does. So it ends a peer that sends, or
  /// takes, a byte now and then in order to stay. The time in which a ``sendfile(_:from:count:)`` reads its file
  /// doesn't count. Set it when a part of the conversation begins, such as a
  /// request, its answer or the goodbye.
  ///
  /// When the time has passed while a write waits, the stream ends as with ``writeTimeout``. Else readers
  /// that wait for bytes get an error, as with ``readTimeout``, and so do later ones, until the
  /// property is set again. Bytes that have come already are read without waiting. So a reader that takes
  /// longer over its bytes than the peer takes to send more never waits, and gets no error: limit its work by
  /// `withDeadline` of the loop. The error names this timeout.
  public var totalTimeout: Duration? {
    get { timeout(.total) }
    set { setTimeout(.total, newValue) }
  }

  var carriedOn: StreamTimeouts? { readsIfAny { $0.carriedOn } ?? nil }

  private func timeout(_ kind: StreamTimeouts.Kind) -> Duration? {
    (sidecar ?? carriedOn)?.duration(of: kind)
  }

  private func setTimeout(_ kind: StreamTimeouts.Kind, _ duration: Duration?) {
    if let carriedOn { return carriedOn.set(kind, duration) }
    if isClosing || (duration == nil && sidecar == nil) { return }
    makeSidecar().set(kind, duration)
  }

  /// Sets ``readTimeout``, which counts from now on, as the caller has just read the time. It costs little if the
  /// timeout has been as long before.
  package func beginReadTimeout(_ duration: Duration, at now: LoopClock.Instant) {
    var hasBegun = false
    block.withSidecar { hasBegun = $0.begin(.read, duration, at: now.nanoseconds) }
    if !hasBegun { readTimeout = duration }
  }

  // MARK: For the timeouts

  var isWaitingToRead: Bool { source.isProducing && source.hasDemand }

  var isWaitingToWrite: Bool { writesIfAny { !$0.pending.inFlight.isEmpty && !$0.isFetching } ?? false }

  /// Whether a file that is being sent is read, so that the peer cannot do anything.
  var isFetching: Bool { writesIfAny { $0.isFetching } ?? false }

  /// Ends what waits for the peer. A write can't be taken back, so it takes the whole stream with it, unless the
  /// time was for readers only.
  func timeOut(_ kind: StreamTimeouts.Kind, after duration: Duration) {
    loop.microtasks.state.pointee.counts.timeouts += 1
    let subject = "within the \(kind.name) of \(duration)"
    let error = UVError(.timedOut, operation: "read", subject: subject)
    if isWaitingToWrite, kind != .read {
      let waiters = writes.takeWaiters(UVError(.timedOut, operation: "write", subject: subject))
      cutOff()
      endReading(error)
      waiters()
    } else {
      if readsIfAny({ $0.failAll(error) }) == nil { source.failAll(error) }
      source.pauseIfUnwanted()
    }
  }
}
