import CUV

/// A connection to the first address of several that answers, as RFC 8305 says. The next one is tried when the
/// one before has failed or has had its time.
final class HostConnection: Cancelling {
  private let loop: EventLoop
  private let subject: String
  private let delays: ConnectDelays
  /// Nil once the caller has been answered: the caller may keep the pending request, which keeps this object.
  private var done: Completion<TCPConnection>?
  private var lookup: HostLookup?
  private var addresses = AddressQueue()
  /// The attempts that are under way, by their numbers.
  private var attempts: [Int: PendingRequest] = [:]
  private var count = 0
  private var failures: [(address: SocketAddress, error: UVError)] = []
  /// The time that the latest attempt has for itself; nil if that has passed.
  private var timer: PendingRequest?

  init(
    _ loop: EventLoop, _ subject: String, _ delays: ConnectDelays, _ done: @escaping Completion<TCPConnection>
  ) {
    self.loop = loop
    self.subject = subject
    self.delays = delays
    self.done = done
  }

  func start(_ host: String, _ port: Int) -> PendingRequest {
    let lookup = HostLookup(loop, delay: delays.resolution)
    self.lookup = lookup
    lookup.start(host, port: port) { [self] in
      add($0)
    } ended: { [self] error in
      self.lookup = nil
      if let error { finish(.failure(error)) } else { failIfNothingIsLeft() }
    }
    return PendingRequest(self)
  }

  func start(_ addresses: [SocketAddress]) -> PendingRequest {
    loop.answer { [self] in
      add(addresses)
      if addresses.isEmpty {
        finish(.failure(UVError(.invalidArgument, operation: "connect", subject: "no address")))
      }
    }
    return PendingRequest(self)
  }

  private func add(_ new: [SocketAddress]) {
    addresses.append(new)
    if timer == nil || attempts.isEmpty { attemptNext() }
  }

  private func attemptNext() {
    guard done != nil, let address = addresses.popFirst() else { return failIfNothingIsLeft() }
    count += 1
    let number = count
    attempts[number] = loop.tcp.connect(to: address) { [self] in didEnd(number, address, $0) }
    timer?.cancel()
    timer = loop.sleep(for: delays.attempt) { [self] result in
      guard case .success = result else { return }
      timer = nil
      attemptNext()
    }
  }

  private func didEnd(_ number: Int, _ address: SocketAddress, _ result: Result<TCPConnection, UVError>) {
    attempts[number] = nil
    switch result {
    case .success(let connection):
      // Another address may have answered in the same turn.
      if done == nil { connection.close() } else { finish(result) }
    case .failure(let error):
      // Nobody cancels one attempt alone: the loop has ended.
      if error.isCancelled { return finish(result) }
      failures.append((address, error))
      attemptNext()
    }
  }

  private func failIfNothingIsLeft() {
    guard attempts.isEmpty, addresses.isEmpty, lookup == nil, let last = failures.last else { return }
    if failures.count == 1 { return finish(.failure(last.error)) }
    let reasons = failures.map { "\($0.address) \($0.error.message)" }.joined(separator: ", ")
    finish(.failure(UVError(last.error.code, operation: "connect", subject: subject, message: reasons)))
  }

  private func finish(_ result: Result<TCPConnection, UVError>) {
    guard let done = done.take() else { return }
    timer.take()?.cancel()
    lookup.take()?.cancel()
    for attempt in attempts.values { attempt.cancel() }
    done(result)
  }

  func cancel(slot: UInt, generation: UInt) {
    if done == nil { return }
    // The caller is answered when this has left its stack.
    loop.queueMicrotask { [self] in
      finish(.failure(UVError(.cancelled, operation: "connect", subject: subject)))
    }
  }

  func awaited(slot: UInt, generation: UInt) -> Awaited? {
    done == nil ? nil : attempts.values.lazy.compactMap(\.awaited).first ?? lookup?.awaited
  }
}

/// A connection that is being established. libuv holds the request, and the connection's handle keeps itself
/// alive.
final class ConnectRequest<Connection: ByteStream>: AnyConnectRequest {
  private let subject: String
  private var connection: Connection?
  private var done: Completion<Connection>?

  /// Starts to connect.
  ///
  /// - Parameters:
  ///   - subject: What to connect to, for the error.
  ///   - makeConnection: Makes the handle.
  ///   - call: Passes the request, the handle and the callback on to libuv.
  static func start(
    _ loop: EventLoop, _ subject: String, _ done: @escaping Completion<Connection>,
    connection makeConnection: () throws(UVError) -> Connection,
    _ call: (UnsafeMutablePointer<uv_connect_t>, Connection, @escaping uv_connect_cb) -> Int32
  ) -> PendingRequest {
    do throws(UVError) {
      let connection = try makeConnection()
      let request = ConnectRequest(loop, subject, connection, done)
      try check(request.submit { call($0, connection, $1) }, "connect", subject)
      return PendingRequest(request)
    } catch {
      loop.answer { done(.failure(error)) }
      return PendingRequest()
    }
  }

  private init(
    _ loop: EventLoop, _ subject: String, _ connection: Connection, _ done: @escaping Completion<Connection>
  ) {
    self.subject = subject
    self.connection = connection
    self.done = done
    super.init(loop: loop)
  }

  override func cancel(slot: UInt, generation: UInt) { connection?.close() }

  override func awaited(slot: UInt, generation: UInt) -> Awaited? {
    connection == nil ? nil : Awaited(operation: "connect", subject: subject)
  }

  override func finish(_ code: Int32) {
    let connection = self.connection.take()!
    if code < 0 {
      connection.close()
      done.take()!(.failure(failure(code, "connect", subject)))
    } else {
      connection.block.own()
      // Only now, so that attempts that fail or are cancelled don't pay for it. Where the peer has gone already, some
      // systems refuse; the next operation says so then.
      try? connection.setTCPDefaults()
      done.take()!(.success(connection))
    }
  }
}

/// The part that connect requests of every kind share.
class AnyConnectRequest: ActiveRequest {
  private let request = UnsafeMutablePointer<uv_connect_t>.allocate(capacity: 1)

  deinit { request.deallocate() }

  /// Starts to connect. Returns a negative code if that isn't possible.
  final func submit(_ call: (UnsafeMutablePointer<uv_connect_t>, @escaping uv_connect_cb) -> Int32) -> Int32 {
    cuv_req_set_data(request, Unmanaged.passUnretained(self).toOpaque())
    let code = call(request, didConnect)
    guard code >= 0 else { return code }
    // Balanced when libuv calls back. It does that once, even if the handle is closed.
    _ = Unmanaged.passRetained(self)
    loop.requests.insert(self)
    return 0
  }

  /// Reports the result, on the loop.
  func finish(_ code: Int32) {}
}

private func didConnect(_ request: UnsafeMutablePointer<uv_connect_t>?, _ code: Int32) {
  // Balances the retain in `submit`.
  let connect = Unmanaged<AnyConnectRequest>.fromOpaque(cuv_req_data(request!)).takeRetainedValue()
  let loop = connect.loop
  loop.callback {
    loop.requests.remove(connect)
    connect.finish(code)
  }
}
