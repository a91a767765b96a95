import CUV

/// A name being looked up on the thread pool.
final class LookupRequest: ActiveRequest {
  private let request = UnsafeMutablePointer<uv_getaddrinfo_t>.allocate(capacity: 1)
  private let host: String
  private let port: UInt16
  private var done: Completion<[SocketAddress]>?

  static func start(
    _ loop: EventLoop, _ host: String, _ port: Int, _ done: @escaping Completion<[SocketAddress]>
  ) -> PendingRequest {
    do throws(UVError) {
      guard let port = UInt16(exactly: port), !host.utf8.contains(0), !host.isEmpty else {
        throw UVError(.invalidArgument, operation: "getaddrinfo", subject: "\(host) port \(port) (0...65535)")
      }
      if loop.isClosed { throw UVError(.loopClosed, operation: "getaddrinfo", subject: host) }
      if let literal = try? SocketAddress(host, port: Int(port)) {
        loop.queueMicrotask { done(.success([literal])) }
        return PendingRequest()
      }
      let request = LookupRequest(loop, host, port, done)
      try request.submit()
      return PendingRequest(request)
    } catch {
      loop.queueMicrotask { done(.failure(error)) }
      return PendingRequest()
    }
  }

  private init(
    _ loop: EventLoop, _ host: String, _ port: UInt16, _ done: @escaping Completion<[SocketAddress]>
  ) {
    self.host = host
    self.port = port
    self.done = done
    super.init(loop: loop)
  }

  deinit { request.deallocate() }

  private func submit() throws(UVError) {
    cuv_req_set_data(request, Unmanaged.passUnretained(self).toOpaque())
    var hints = addrinfo()
    hints.ai_socktype = cuv_sock_stream()
    try check(uv_getaddrinfo(loop.raw, request, didResolve, host, nil, &hints), "getaddrinfo", host)
    // Balanced when libuv calls back, which it does once.
    _ = Unmanaged.passRetained(self)
    loop.requests.insert(self)
  }

  override func cancel(slot: UInt, generation: UInt) {
    guard let done = done.take() else { return }
    // A lookup that has begun cannot be stopped: its answer comes to nobody.
    uv_cancel(cuv_request(request))
    let error = UVError(.cancelled, operation: "getaddrinfo", subject: host)
    loop.queueMicrotask { done(.failure(error)) }
  }

  fileprivate func finish(_ code: Int32, _ first: UnsafeMutablePointer<addrinfo>?) {
    loop.requests.remove(self)
    defer { if let first { uv_freeaddrinfo(first) } }
    guard let done = done.take() else { return }
    var addresses: [SocketAddress] = []
    var entry = first
    while let current = entry {
      if let address = SocketAddress(current.pointee.ai_addr) { addresses.append(address.with(port: port)) }
      entry = current.pointee.ai_next
    }
    if code < 0 {
      done(.failure(failure(code, "getaddrinfo", host)))
    } else if addresses.isEmpty {
      done(.failure(UVError(.unknownHost, operation: "getaddrinfo", subject: host)))
    } else {
      done(.success(addresses))
    }
  }
}

private func didResolve(
  _ request: UnsafeMutablePointer<uv_getaddrinfo_t>?, _ code: Int32, _ first: UnsafeMutablePointer<addrinfo>?
) {
  // Balances the retain in `submit`.
  let lookup = Unmanaged<LookupRequest>.fromOpaque(cuv_req_data(request!)).takeRetainedValue()
  let loop = lookup.loop
  loop.beginCallback()
  lookup.finish(code, first)
  loop.endCallback()
}
