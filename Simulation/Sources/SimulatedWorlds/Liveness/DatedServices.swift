import UV
import UVHTTP
import UVSimulation
import UVTLS

/// Things with a date that a pool, a stream, TLS or HTTP has.
extension DatedThings {
  // MARK: Pools

  func beginInPool(_ thing: Dated, _ length: Duration, _ over: @escaping () -> Void) {
    let (loop, forever) = (loop, forever)
    var limits = PoolLimits()
    limits.wait = .seconds(3600)
    limits.creation = .seconds(3600)
    switch thing {
    case .lease:
      limits.wait = length
      let pool = Pool<DatedResource>(loop, limits: limits, retry: RetryPolicy(attempts: 1)) {
        try await forever.value
        return DatedResource(loop) {}
      }
      let judge = judge(thing, length)
      pool.lease { _ in
        judge()
        pool.close { _ in over() }
      }
    case .creation:
      limits.creation = length
      let pool = Pool<DatedResource>(loop, limits: limits, retry: RetryPolicy(attempts: 1)) {
        try await forever.value
        return DatedResource(loop) {}
      }
      let judge = judge(thing, length)
      pool.lease { _ in
        judge()
        pool.close { _ in over() }
      }
    default:
      limits.idle = length
      var judge: (() -> Void)?
      var pool: Pool<DatedResource>?
      pool = Pool<DatedResource>(loop, limits: limits) {
        DatedResource(loop) {
          judge?()
          pool?.close { _ in over() }
          pool = nil
        }
      }
      pool?.lease { [self] result in
        guard case .success(let lease) = result else { return }
        lateness.compute(atMost: .milliseconds(20))
        // Its time counts from the beginning of the turn.
        judge = self.judge(thing, length, mayBeEarly: true)
        lease.giveBack()
      }
    }
  }

  // MARK: Streams

  func beginOnStream(_ thing: Dated, _ length: Duration, _ over: @escaping () -> Void) throws(UVError) {
    let loop = loop
    let (stream, other) = try loop.pipes.socketPair()
    // A stream's peer gets back the time by which the loop was late.
    let judge = judge(
      thing, thing == .writeTimeout ? length + length / 8 : length, thing == .handshake ? .exact : .afterWork,
      mayBeEarly: thing == .writeTimeout)
    let end = {
      judge()
      stream.close()
      other.close()
      over()
    }
    switch thing {
    case .handshake:
      let context: TLSContext
      do { context = try Certificates.client(loop) } catch { return end() }
      loop.tls.secure(stream, context, host: "server", handshakeTimeout: length) { _ in end() }
    case .writeTimeout:
      stream.writeTimeout = length
      stream.write(Bytes(repeating: 1, count: 4_000_000)) { _ in end() }
    default:
      if thing == .readTimeout { stream.readTimeout = length }
      if thing == .idleTimeout { stream.idleTimeout = length }
      if thing == .totalTimeout { stream.totalTimeout = length }
      stream.next { _ in end() }
    }
  }

  // MARK: HTTP

  func beginHTTP(_ thing: Dated, _ length: Duration, _ number: Int, _ over: @escaping () -> Void)
    throws(UVError)
  {
    let path = "/tmp/dated \(number)"
    if thing == .httpServerHead { return try beginServer(path, length, over) }
    let loop = loop
    let listener = try loop.pipes.listen(path: path)
    var options = HTTPClientOptions.patient
    options.unixSocket = FilePath(path)
    switch thing {
    case .httpHead: options.headTimeout = length
    case .httpIdle: options.idleTimeout = length
    default: options.total = length
    }
    let client = HTTPClient(loop, options: options)
    var accepted: PipeConnection?
    // The time of all counts from here; that of a part from when the server has got the request, or has sent a head.
    var judge = thing == .httpTotal ? self.judge(thing, length, .afterWork) : nil
    listener.accept { [self] result in
      guard case .success(let connection) = result else { return }
      accepted = connection
      connection.next { [self] _ in
        if thing == .httpTotal { return }
        judge = self.judge(thing, length, .afterWork, mayBeEarly: true)
        if thing == .httpIdle {
          connection.write(Bytes("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")) { _ in }
        }
      }
    }
    let end = {
      judge?()
      accepted?.close()
      listener.close()
      client.close().start { _ in over() }
    }
    client.get("http://server/") { result in
      guard case .success(let response) = result else { return end() }
      response.body.readToEnd(limit: 100).start { _ in end() }
    }
  }

  private func beginServer(_ path: String, _ length: Duration, _ over: @escaping () -> Void) throws(UVError) {
    let loop = loop
    var limits = HTTPLimits.patient
    limits.headTimeout = length
    limits.lastSilence = .milliseconds(1)
    limits.farewell = .milliseconds(1)
    let server = loop.http.serve(try loop.pipes.listen(path: path), limits: limits)
    server.start { _ in }
    loop.pipes.connect(path: path) { [self] result in
      guard case .success(let client) = result else { return }
      let judge = self.judge(.httpServerHead, length, .afterWork)
      client.write(Bytes("GET / HT")) { _ in }
      client.next { _ in
        judge()
        client.close()
        server.close()
        over()
      }
    }
  }
}

/// A resource that says when it is closed.
private struct DatedResource: PoolResource {
  let loop: EventLoop
  let closed: () -> Void

  init(_ loop: EventLoop, _ closed: @escaping () -> Void) { (self.loop, self.closed) = (loop, closed) }

  var isReusable: Bool { true }

  func close() -> Request<Void> {
    closed()
    return loop.sleep(for: .zero)
  }
}
