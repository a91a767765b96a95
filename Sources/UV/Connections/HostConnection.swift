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
