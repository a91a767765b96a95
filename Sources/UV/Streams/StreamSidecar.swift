import CUV

/// The things that few streams need: timeouts, and those who wait for the end of the service. A stream has it
/// from the first use of one of them on until it closes.
///
/// The timeouts know when the peer has last done its part. Activity stores the loop's time and touches no
/// timer. One timer serves all timeouts. When the first of them can have passed, it compares the times and
/// waits for what is left. The timer rests while nobody waits for the peer, and never keeps the loop running.
final class StreamSidecar: HandleSidecar {
  enum Kind: Int {
    case read, write, idle, total

    var name: String {
      switch self {
      case .read: "readTimeout"
      case .write: "writeTimeout"
      case .idle: "idleTimeout"
      case .total: "totalTimeout"
      }
    }
  }

  private struct Limit {
    var duration: Duration?
    /// In milliseconds; the largest number for no limit.
    var length = UInt64.max
    /// When the limit was set, on the loop's clock.
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
  private let clock: UnsafeMutablePointer<uv_loop_t>
  @exclusivity(unchecked) private var block: HandleBlock
  @exclusivity(unchecked) private var limits = [Limit](repeating: Limit(), count: 4)
  /// How soon a wait for bytes may end, from its beginning.
  @exclusivity(unchecked) private var readLength = UInt64.max
  /// When the total has passed.
  @exclusivity(unchecked) private var totalEnd = UInt64.max
  @exclusivity(unchecked) private var timer: PendingRequest?
  /// When the timer is due.
  @exclusivity(unchecked) private var due: UInt64 = 0
  /// Whether a timeout has passed, and the peer has got a last chance.
  @exclusivity(unchecked) private var isLastChance = false
  /// Whether the handle has begun to close, so that its block may be gone.
  @exclusivity(unchecked) private var isClosed = false
  /// How many bytes libuv had to write when they were looked at last.
  @exclusivity(unchecked) private var unwritten = 0

  /// Those who wait for the end of the service that the stream belongs to.
  var quiescing: QuiescingWaiters?

  init(_ block: HandleBlock) {
    self.block = block
    clock = block.header.pointee.loop.raw
  }

  /// Goes on with the stream that takes over the connection. All that was set stays, and those who wait are
  /// told there.
  func move(from plain: ByteStream, to stream: ByteStream) {
    block = stream.block
    quiescing?.move(from: plain, to: stream)
  }

  // MARK: Setting

  func duration(of kind: Kind) -> Duration? { limits[kind.rawValue].duration }

  /// Sets a timeout, which counts from now.
  func set(_ kind: Kind, _ duration: Duration?) {
    if isClosed { return }
    let length = duration.map { min($0.milliseconds, .max - 1) } ?? .max
    limits[kind.rawValue] = Limit(duration: duration, length: length, start: uv_now(clock))
    isLastChance = false
    readLength = min(limits[Kind.read.rawValue].length, limits[Kind.idle.rawValue].length)
    totalEnd = limits[Kind.total.rawValue].end(since: 0) ?? .max
    if let end = limits[kind.rawValue].end(since: 0), end < due { stopTimer() }
    look()
  }

  // MARK: Activity

  /// Bytes have come.
  @inline(__always)
  private func noteRead() { lastRead = uv_now(clock) }

  /// Bytes have come, and were delivered. A reader that has asked for more by now goes on to wait: the stream
  /// doesn't begin to read anew.
  @inline(__always)
  func goOnReading() {
    noteRead()
    if timer == nil, min(readLength, totalEnd) < .max { look() }
  }

  /// The system has taken bytes.
  @inline(__always)
  func noteWrite() { lastWrite = uv_now(clock) }

  /// Somebody begins to wait for bytes.
  func beginReading() {
    noteRead()
    begin(within: readLength)
  }

  /// Somebody begins to wait until the system has room.
  func beginWriting() {
    noteWrite()
    unwritten = cuv_write_queue_size(cuv_stream(block.raw))
    begin(within: timeBetweenLooks)
  }

  /// Starts the timer for a wait that begins, unless it is due early enough. The wait before may have had a
  /// longer time.
  private func begin(within length: UInt64) {
    if timer != nil {
      let (end, isNever) = uv_now(clock).addingReportingOverflow(length)
      if due <= min(isNever ? .max : end, totalEnd) { return }
      stopTimer()
    }
    look()
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
    var next: (kind: Kind, time: UInt64)?
    func consider(_ kind: Kind, _ isWaiting: Bool, since time: UInt64) {
      guard isWaiting, let end = limits[kind.rawValue].end(since: time) else { return }
      if next.map({ end < $0.time }) ?? true { next = (kind, end) }
    }
    consider(.read, isReading, since: lastRead)
    consider(.write, isWriting, since: lastWrite)
    consider(.idle, isReading || isWriting, since: max(lastRead, lastWrite))
    consider(.total, isReading || isWriting, since: 0)
    return next
  }

  /// Starts the timer if it isn't started and somebody waits.
  private func look() {
    if timer == nil, let stream = waitingStream { look(at: stream, late: 0) }
  }

  private func look(at stream: ByteStream, late: UInt64) {
    let now = uv_now(clock)
    if stream.isWaitingToWrite { lookAtWrites(now) }
    guard let (kind, end) = nextEnd(of: stream) else { return }
    if end > now {
      isLastChance = false
      startTimer(min(end - now, stream.isWaitingToWrite ? timeBetweenLooks : .max), at: now)
    } else if !isLastChance {
      // The time that the loop was late isn't the peer's fault. And what has come meanwhile is read before
      // this timer is due.
      isLastChance = true
      startTimer(max(late, 1), at: now)
    } else {
      isLastChance = false
      stream.timeOut(kind, after: limits[kind.rawValue].duration!)
      if stream.isWaitingToRead { beginReading() }
    }
  }

  /// libuv doesn't say when the system has taken a part of what it writes. So one has to look.
  private func lookAtWrites(_ now: UInt64) {
    let count = cuv_write_queue_size(cuv_stream(block.raw))
    if count != unwritten { lastWrite = now }
    unwritten = count
  }

  /// How often to look at a write that waits. A timeout is noticed that much too late, at most.
  private var timeBetweenLooks: UInt64 {
    max(1, min(limits[Kind.write.rawValue].length, limits[Kind.idle.rawValue].length) / 8)
  }

  private func startTimer(_ length: UInt64, at now: UInt64) {
    due = now &+ length
    let length = Duration.milliseconds(Int64(clamping: length))
    timer = block.header.pointee.loop.sleepQuietly(for: length) { [self] result in
      guard case .success = result else { return }
      timer = nil
      guard let stream = waitingStream else { return }
      let now = uv_now(clock)
      look(at: stream, late: now > due ? now - due : 0)
    }
  }

  private func stopTimer() { timer.take()?.cancel() }

  override func handleCloses() {
    isClosed = true
    stopTimer()
    quiescing.take()?.tell(.failure(UVError(.cancelled, operation: "quiescing")))
  }
}

extension HandleBlock {
  /// Calls `body` with the sidecar of a stream, if there is one. Sound: it is of this class, and stays until
  /// the handle closes.
  @inline(__always)
  func withSidecar(_ body: (StreamSidecar) -> Void) {
    guard let sidecar = header.pointee.sidecar else { return }
    Unmanaged<StreamSidecar>.fromOpaque(sidecar.toOpaque())._withUnsafeGuaranteedRef(body)
  }
}
