import CUV

/// The things that few streams need: timeouts, and the waiters for the end of the service. A stream has it
/// from the first use of one of them on until it closes.
///
/// The timeouts know when the peer has last done its part. Activity stores the time and touches no timer. The
/// clock is read, because the loop's own time may be old, and the timeout would be early; but only where a
/// timeout needs it. One timer serves all timeouts. When the first of them can have passed, it compares the
/// times and waits for what is left. The timer rests while nobody waits for the peer, and never keeps the
/// loop running.
///
/// All times are nanoseconds on libuv's clock.
final class StreamTimeouts: HandleExtension {
  enum Kind: Int, CaseIterable {
    case read, write, idle, total
    /// How long a peer may be silent while its server ends; see ``ByteStream/endWithServer(after:farewell:)``.
    case farewell

    var name: String {
      switch self {
      case .read: "readTimeout"
      case .write: "writeTimeout"
      case .idle: "idleTimeout"
      case .total: "totalTimeout"
      case .farewell: "farewell"
      }
    }
  }

  private struct Limit {
    var duration: Duration?
    /// The largest number for no limit.
    var length = UInt64.max
    /// When the limit was set.
    var start: UInt64 = 0

    /// When the limit is reached if nothing has happened since `time`; nil if there is no limit.
    func end(since time: UInt64) -> UInt64? {
      guard length < .max else { return nil }
      let (end, isNever) = max(time, start).addingReportingOverflow(length)
      return isNever ? nil : end
    }
  }

  /// When bytes have come last, or when somebody has begun to wait for them.
  @exclusivity(unchecked) private var lastRead: UInt64 = 0
  /// When the system has last taken bytes, or when somebody has begun to wait for that.
  @exclusivity(unchecked) private var lastWrite: UInt64 = 0
  @exclusivity(unchecked) private var block: HandleBlock
  @exclusivity(unchecked) private var limits = [Limit](repeating: Limit(), count: Kind.allCases.count)
  /// How soon a wait for bytes may end, from its beginning.
  @exclusivity(unchecked) private var readLength = UInt64.max
  /// How soon a wait for room may end, from its beginning.
  @exclusivity(unchecked) private var writeLength = UInt64.max
  /// When a part of a file that is sent began to be read, or had been read.
  @exclusivity(unchecked) private var lastFetch: UInt64 = 0
  /// When the total has passed.
  @exclusivity(unchecked) private var totalEnd = UInt64.max
  /// When the timer is due.
  @exclusivity(unchecked) private var due: UInt64 = 0
  /// Due when one has to look at the stream. It is the last chance of a peer if a timeout has passed; a wait
  /// that begins after that has one of its own.
  @exclusivity(unchecked) private var timer: (request: PendingRequest, isLastChance: Bool)?
  /// Whether the handle has begun to close, so that its block may be gone.
  @exclusivity(unchecked) private var isClosed = false
  /// The loop's turn in which the last chance began.
  @exclusivity(unchecked) private var chanceTurn: UInt32 = 0
  /// How many bytes libuv had to write when they were looked at last.
  @exclusivity(unchecked) private var unwritten = 0

  /// The waiters for the end of the service that the stream belongs to.
  var quiescing: QuiescingWaiters?
  /// How the library ends the connection with its server; nil if the program does.
  @exclusivity(unchecked) private var farewell: Farewell?
  /// The end of the time in which a peer may read what was written last.
  @exclusivity(unchecked) private var lingering: PendingRequest?

  /// The load balancer's header of the connection.
  var proxyHeader: ProxyHeader?

  init(_ block: HandleBlock) { self.block = block }

  /// Goes on with the stream that takes over the connection. All that was set stays, and waiting callers are
  /// answered there.
  func move(from plain: ByteStream, to stream: ByteStream) {
    block = stream.block
    quiescing?.move(from: plain, to: stream)
  }

  // MARK: Setting

  func duration(of kind: Kind) -> Duration? { limits[kind.rawValue].duration }

  /// Sets a timeout, which counts from now.
  func set(_ kind: Kind, _ duration: Duration?) {
    if isClosed { return }
    let now = uv_hrtime()
    limits[kind.rawValue] = Limit(
      duration: duration, length: duration.map { min($0.nanoseconds, .max - 1) } ?? .max, start: now)
    timer?.isLastChance = false
    readLength = min(length(of: .read), length(of: .idle), length(of: .farewell))
    writeLength = min(length(of: .write), length(of: .idle))
    totalEnd = limits[Kind.total.rawValue].end(since: 0) ?? .max
    if let end = limits[kind.rawValue].end(since: 0), end < due { stopTimer() }
    look(now)
  }

  /// Begins a time anew that has been set before.
  ///
  /// - Returns: False if it hasn't, or was another one.
  func begin(_ kind: Kind, _ duration: Duration, at now: UInt64) -> Bool {
    guard limits[kind.rawValue].duration == duration else { return false }
    limits[kind.rawValue].start = now
    timer?.isLastChance = false
    if timer == nil { look(now) }
    return true
  }

  private func length(of kind: Kind) -> UInt64 { limits[kind.rawValue].length }

  // MARK: Activity

  /// Bytes have come, and were delivered. A reader that has asked for more by now goes on to wait: the stream
  /// doesn't begin to read anew. Those that carry nothing for a reader (`hasCome` is false) renew no time.
  @inline(__always)
  func goOnReading(_ hasCome: Bool) {
    if hasCome, readLength < .max {
      lastRead = uv_hrtime()
      endChance(readLength, lastRead)
    }
    if timer == nil, min(readLength, totalEnd) < .max { look(uv_hrtime()) }
  }

  /// The system has taken all that waited. A wait that follows notes its own beginning, so only a reader may
  /// have to know.
  @inline(__always)
  func noteWrite() { if length(of: .idle) < .max { lastWrite = uv_hrtime() } }

  /// The system has taken a part of what waits.
  func noteProgress() {
    if writeLength == .max { return }
    lastWrite = uv_hrtime()
    endChance(timeBetweenLooks, lastWrite)
  }

  /// A peer that has used its last chance has its usual time from then, which may be shorter. Nothing renews the total.
  @inline(__always)
  private func endChance(_ length: UInt64, _ now: UInt64) {
    guard timer?.isLastChance == true, now < totalEnd else { return }
    timer?.isLastChance = false
    begin(within: length, at: now)
  }

  /// Somebody begins to wait for bytes.
  func beginReading() {
    if farewell != nil { endIfQuiescing() }
    if min(readLength, totalEnd) == .max { return }
    lastRead = uv_hrtime()
    begin(within: readLength, at: lastRead)
  }

  /// Somebody begins to wait until the system has room.
  func beginWriting() {
    if min(writeLength, totalEnd) == .max { return }
    lastWrite = uv_hrtime()
    unwritten = cuv_write_queue_size(cuv_stream(block.raw))
    begin(within: timeBetweenLooks, at: lastWrite)
  }

  /// A part of a file is being read to be sent.
  func beginFetching() { lastFetch = uv_hrtime() }

  /// It has been read. The timeouts go on, and the time it took is added to the total.
  func endFetching() {
    let now = uv_hrtime()
    // It may have been set meanwhile.
    let start = limits[Kind.total.rawValue].start
    limits[Kind.total.rawValue].start += now - max(lastFetch, start)
    totalEnd = limits[Kind.total.rawValue].end(since: 0) ?? .max
    lastFetch = now
    beginWriting()
    lastWrite = now
    begin(within: readLength, at: now)
  }

  /// Starts the timer for a wait that begins, unless it is due early enough. The wait before may have had a
  /// longer time.
  private func begin(within length: UInt64, at now: UInt64) {
    if timer != nil {
      let (end, isNever) = now.addingReportingOverflow(length)
      if due <= min(isNever ? .max : end, totalEnd) { return }
      stopTimer()
    }
    look(now)
  }

  // MARK: Looking

  /// The stream, if somebody waits for its peer. Sound: a stream keeps itself alive while somebody waits for
  /// it. Another thread may be dropping any other at this moment.
  private var waitingStream: ByteStream? {
    guard !block.isClosing, let owner = block.header.pointee.retainedOwner else { return nil }
    return unsafeDowncast(owner.takeUnretainedValue(), to: ByteStream.self)
  }

  /// The timeout that is reached first if nothing happens.
  private func nextEnd(of stream: ByteStream) -> (kind: Kind, time: UInt64)? {
    let (isReading, isWriting) = (stream.isWaitingToRead, stream.isWaitingToWrite)
    let isOwed = isReading && !block.header.pointee.activity.contains(.idling)
    var next: (kind: Kind, time: UInt64)?
    func consider(_ kind: Kind, _ isWaiting: Bool, since time: UInt64) {
      guard isWaiting, let end = limits[kind.rawValue].end(since: time) else { return }
      if next.map({ end < $0.time }) ?? true { next = (kind, end) }
    }
    consider(.read, isOwed, since: lastRead)
    consider(.write, isWriting, since: lastWrite)
    // A peer has nothing to take while the file that it gets is read, and may say nothing before it has it.
    if stream.isFetching { return next }
    consider(.idle, isOwed || isWriting, since: max(lastRead, lastWrite))
    consider(.total, isOwed || isWriting, since: 0)
    // A peer that takes what is written isn't silent.
    let silenceBegin = isWriting ? max(lastRead, lastWrite &+ Self.timeToTake) : lastRead
    consider(.farewell, isReading, since: max(silenceBegin, lastFetch))
    return next
  }

  /// Starts the timer if it isn't started and somebody waits.
  private func look(_ now: UInt64) {
    if timer == nil, let stream = waitingStream { look(at: stream, now, late: 0, hadLastChance: false) }
  }

  private func look(at stream: ByteStream, _ now: UInt64, late: UInt64, hadLastChance: Bool) {
    if stream.isWaitingToWrite { lookAtWrites(now) }
    guard let (kind, end) = nextEnd(of: stream) else { return }
    if end > now {
      startTimer(min(end - now, stream.isWaitingToWrite ? timeBetweenLooks : .max), at: now)
    } else if !hadLastChance {
      // The time that the loop was late isn't the peer's fault. And what has come meanwhile is read before
      // this chance has passed.
      chanceTurn = turn
      startTimer(max(late, 1_000_000), at: now, isLastChance: true)
    } else {
      if kind == .farewell { return sayFarewell(stream) }
      stream.timeOut(kind, after: limits[kind.rawValue].duration!)
      if stream.isWaitingToRead { beginReading() }
      // A write that goes on has its own time.
      look(now)
    }
  }

  /// libuv doesn't say when the system has taken a part of what it writes. So one has to look.
  private func lookAtWrites(_ now: UInt64) {
    let count = cuv_write_queue_size(cuv_stream(block.raw))
    if count != unwritten { lastWrite = now }
    unwritten = count
  }

  /// How long a peer may take none of what is written before it counts as silent.
  private static let timeToTake: UInt64 = 1_000_000_000

  /// How often to look at a write that waits. A timeout is noticed that much too late, at most.
  private var timeBetweenLooks: UInt64 {
    max(1_000_000, writeLength / 8)
  }

  private func startTimer(_ length: UInt64, at now: UInt64, isLastChance: Bool = false) {
    due = now &+ length
    let length = Duration.nanoseconds(Int64(clamping: length))
    let request = block.header.pointee.loop.sleepQuietly(for: length) { [self] result in
      guard case .success = result else { return }
      // A loop that was late again has come here without looking for bytes: that isn't the peer's fault either.
      let hadLastChance = timer.take()?.isLastChance == true && turn != chanceTurn
      guard let stream = waitingStream else { return }
      let now = uv_hrtime()
      look(at: stream, now, late: now > due ? now - due : 0, hadLastChance: hadLastChance)
    }
    timer = (request, isLastChance)
  }

  private var turn: UInt32 { block.header.pointee.loop.microtasks.state.pointee.readShare.turn }

  private func stopTimer() { timer.take()?.request.cancel() }

  // MARK: The end of the server

  /// Has the library end the connection with its server.
  func set(_ farewell: Farewell) {
    if isClosed { return }
    self.farewell = farewell
    limits[Kind.farewell.rawValue] = Limit()
    endIfQuiescing()
  }

  /// Lets the peer be silent for the farewell's time from now on, if the server ends.
  func endIfQuiescing() {
    guard let farewell, duration(of: .farewell) == nil, block.header.pointee.role == .accepted,
      block.header.pointee.loop.isShuttingDown
    else { return }
    set(.farewell, max(farewell.silence, .zero))
  }

  private func sayFarewell(_ stream: ByteStream) {
    guard let farewell = farewell.take() else { return }
    set(.farewell, nil)
    lingering = stream.say(farewell)
  }

  override func handleCloses() {
    isClosed = true
    stopTimer()
    farewell = nil
    lingering.take()?.cancel()
    quiescing.take()?.report(.failure(UVError(.cancelled, operation: "quiescing")))
  }
}
