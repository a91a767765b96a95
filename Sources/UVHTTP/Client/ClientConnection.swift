import UV

/// A connection to a server, which serves one request at a time.
///
/// It is read while it serves a request whose bytes are wanted, and while it is idle: a server that ends it is
/// noticed, and the next request needn't begin to read anew.
final class ClientConnection: PoolResource {
  let stream: ByteStream
  /// The request that it serves; nil between two, and while nobody wants bytes of an answer's body: who holds
  /// the body holds the exchange then.
  @exclusivity(unchecked) var exchange: ClientExchange?
  /// The same while its body is held.
  weak var bodyExchange: ClientExchange?
  /// Whether the last answer has said that the connection goes on.
  @exclusivity(unchecked) var keepsAlive = true
  /// Whether the program has the stream now, for another protocol.
  var isHandedOver = false
  /// How many requests it has served. One that has served none is new, and isn't known to have been idle.
  @exclusivity(unchecked) var servedCount = 0
  /// How many writes the system has not taken yet.
  @exclusivity(unchecked) private(set) var writeCount = 0
  /// Made when it is first used: one that never is closes when it is dropped.
  @exclusivity(unchecked) private var reader: ElementReceiver<Bytes>?
  @exclusivity(unchecked) private var didWrite: Completion<Void>?
  @exclusivity(unchecked) private(set) var isReading = false
  @exclusivity(unchecked) private var isClosed = false
  /// Whether the server has ended it, or has said something that nobody has asked for.
  @exclusivity(unchecked) private var isUseless = false
  private var onUseless: Completion<Void>?
  @exclusivity(unchecked) private var deadline: LoopClock.Instant?
  private var timer: (pending: PendingRequest, end: LoopClock.Instant)?

  init(_ stream: ByteStream, writeTimeout: Duration) {
    self.stream = stream
    stream.writeTimeout = writeTimeout
  }

  /// Both are let go of when the connection closes. A weak reference would make counting references slow.
  private func open() {
    if reader != nil || isClosed { return }
    reader = ElementReceiver { [self] _, result in didRead(result) }
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

  var isReusable: Bool {
    exchange == nil && bodyExchange == nil && keepsAlive && !isUseless && writeCount == 0 && stream.isReadable
      && stream.isWritable
  }

  // MARK: Bytes

  func write(_ bytes: Bytes) {
    guard let didWrite else { return }
    writeCount += 1
    stream.write(bytes, didWrite)
  }

  func write(_ buffers: [Bytes]) {
    guard let didWrite else { return }
    writeCount += 1
    stream.write(buffers, didWrite)
  }

  func read() {
    guard !isReading, let reader else { return }
    isReading = true
    stream.next(for: reader)
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
    (reader, didWrite, onUseless) = (nil, nil, nil)
    (exchange, bodyExchange, deadline) = (nil, nil, nil)
    timer.take()?.pending.cancel()
  }

  // MARK: Deadlines

  /// Tells the exchange when the time has come. One timer goes on from request to request, since most end
  /// in time.
  func limit(until end: LoopClock.Instant?) {
    deadline = end
    guard let end, timer.map({ $0.end > end }) ?? true else { return }
    timer.take()?.pending.cancel()
    startTimer(end)
  }

  private func startTimer(_ end: LoopClock.Instant) {
    let pending = stream.loop.sleepQuietly(for: stream.loop.now.duration(to: end)) { [self] result in
      // One that was cancelled has a successor.
      guard case .success = result else { return }
      timer = nil
      guard let deadline else { return }
      if deadline > stream.loop.now { return startTimer(deadline) }
      (exchange ?? bodyExchange)?.deadlineCame()
    }
    timer = (pending, end)
  }
}
