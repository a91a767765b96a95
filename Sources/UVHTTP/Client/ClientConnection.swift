#if HTTP || Everything
import UV

/// A connection to a server, which serves one request at a time.
///
/// It is read while it serves a request whose bytes are wanted, and while it is idle: a server that ends it is
/// noticed, and the next request needn't begin to read anew.
final class ClientConnection: PoolResource, Flushable {
  let stream: ByteStream
  /// The request that it serves; nil between two, and while nobody wants bytes of an answer's body: who holds
  /// the body holds the exchange then.
  @exclusivity(unchecked) var exchange: ClientExchange?
  /// The same while its body is held.
  weak var bodyExchange: ClientExchange?
  /// An exchange that has ended, to be used again.
  @exclusivity(unchecked) private var spare: ClientExchange?
  /// Whether the last answer has said that the connection goes on.
  @exclusivity(unchecked) var keepsAlive = true
  /// Whether the program has the stream now, for another protocol.
  var isHandedOver = false
  /// How many requests it has served.
  @exclusivity(unchecked) var servedCount = 0
  /// Whether it has waited for a request, before the first one or between two: its server may have ended it meanwhile.
  var mayBeStale: Bool { servedCount > 0 || hasBeenIdle }
  private var hasBeenIdle = false
  /// How many writes the system has not taken yet.
  @exclusivity(unchecked) private(set) var writeCount = 0
  /// A request that is written at the end of the turn; one of these writes.
  @exclusivity(unchecked) private var held: Bytes?
  /// Made when it is first used: one that never is closes when it is dropped.
  @exclusivity(unchecked) private var reader: _ElementReceiver<Bytes>?
  @exclusivity(unchecked) private var didWrite: Completion<Void>?
  @exclusivity(unchecked) private(set) var isReading = false
  @exclusivity(unchecked) private var isClosed = false
  /// Whether the server has ended it, or has said something that nobody has asked for.
  @exclusivity(unchecked) private var isUseless = false
  private var onUseless: Completion<Void>?
  @exclusivity(unchecked) private var deadline: LoopClock.Instant?
  @exclusivity(unchecked) private var timer: PendingRequest?
  /// When the timer is due; never without one.
  @exclusivity(unchecked) private var timerEnd = LoopClock.Instant(nanoseconds: .max)

  init(_ stream: ByteStream, writeTimeout: Duration) {
    self.stream = stream
    stream.writeTimeout = writeTimeout
  }

  /// Both are let go of when the connection closes. A weak reference would make counting references slow.
  private func open() {
    if reader != nil || isClosed { return }
    reader = _ElementReceiver { [self] _, result in didRead(result) }
    didWrite = { [self] result in
      writeCount -= 1
      (exchange ?? bodyExchange)?.didWrite(result)
    }
  }

  /// Begins to serve a request.
  func begin(_ exchange: ClientExchange) {
    open()
    self.exchange = exchange
  }

  /// An exchange that nobody else holds, so that nothing of its first use can come.
  func takeSpare() -> ClientExchange? {
    guard spare != nil, isKnownUniquelyReferenced(&spare) else { return nil }
    return spare.take()
  }

  /// Keeps an exchange that has ended.
  func keep(_ exchange: ClientExchange) { if !isClosed { spare = exchange } }

  var isReusable: Bool {
    exchange == nil && bodyExchange == nil && keepsAlive && !isUseless && writeCount == 0 && stream.isReadable
      && stream.isWritable
  }

  // MARK: Bytes

  /// Writes a whole request at the end of the turn, right after those of other connections. If each were written as it
  /// comes, a server would often have handled one before the next is there, and wait: to wake it costs this
  /// processor more than the rest of a write.
  func writeSoon(_ bytes: Bytes) {
    if didWrite == nil { return }
    writeCount += 1
    held = bytes
    stream.loop.flushNextTurn(self)
  }

  package func flush() {
    guard let bytes = held.take() else { return }
    writeCount -= 1
    write(bytes)
    if writeCount == 0 { exchange?.didWrite(.success(())) }
  }

  /// Writes bytes. The system most often takes them at once; then nobody is notified.
  func write(_ bytes: Bytes) {
    if didWrite == nil { return }
    let taken = stream.offerAtOnce(bytes)
    if taken == bytes.count { return }
    writeCount += 1
    stream.write(Bytes(bytes[taken...]), didWrite!)
  }

  func write(_ buffers: [Bytes]) {
    guard let didWrite else { return }
    writeCount += 1
    stream.write(buffers, didWrite)
  }

  func read() {
    guard !isReading, let reader else { return }
    isReading = true
    stream._next(for: reader)
  }

  private func didRead(_ result: Result<Bytes?, UVError>) {
    isReading = false
    if let exchange { return exchange.didRead(result) }
    isUseless = true
    onUseless.take()?(.success(()))
  }

  // MARK: Idle

  func idling(_ done: @escaping Completion<Void>) -> PendingRequest {
    open()
    hasBeenIdle = true
    onUseless = done
    stream.keepsLoopRunning = false
    read()
    return PendingRequest("idling") { [self] in
      onUseless = nil
      stream.keepsLoopRunning = true
    }
  }

  func close() -> Request<Void> {
    letGo()
    return isHandedOver ? .value(stream.loop, ()) : stream.close()
  }

  private func letGo() {
    isClosed = true
    (reader, didWrite, onUseless, held) = (nil, nil, nil, nil)
    (exchange, bodyExchange, spare, deadline) = (nil, nil, nil, nil)
    stopTimer()
  }

  // MARK: Deadlines

  /// Notifies the exchange when the time has come. One timer goes on from request to request, since most end
  /// in time.
  func limit(until end: LoopClock.Instant?) {
    deadline = end
    guard let end, end < timerEnd else { return }
    stopTimer()
    startTimer(end)
  }

  private func stopTimer() {
    timer.take()?.cancel()
    timerEnd = LoopClock.Instant(nanoseconds: .max)
  }

  private func startTimer(_ end: LoopClock.Instant) {
    timerEnd = end
    timer = stream.loop.sleepQuietly(until: end) { [self] result in
      // One that was cancelled has a successor.
      guard case .success = result else { return }
      timer = nil
      timerEnd = LoopClock.Instant(nanoseconds: .max)
      guard let deadline else { return }
      if deadline > stream.loop.now { return startTimer(deadline) }
      (exchange ?? bodyExchange)?.deadlineCame()
    }
  }
}
#endif
