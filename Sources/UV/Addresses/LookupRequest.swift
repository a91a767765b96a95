import CUV

/// A request that looks up a name on the thread pool.
final class LookupRequest: PoolRequest<[SocketAddress]> {
  private let host: String
  private let port: UInt16
  private let family: Int32

  /// - Parameter family: `AF_INET` or `AF_INET6` for addresses of one kind alone.
  init(
    _ loop: EventLoop, _ host: String, _ port: UInt16, _ family: Int32,
    _ done: @escaping Completion<[SocketAddress]>
  ) {
    self.host = host
    self.port = port
    self.family = family
    super.init(loop, "getaddrinfo", uv_getaddrinfo_t.self, done)
    // Sound: the loop's list of requests owns it meanwhile.
    cuv_req_set_data(request, Unmanaged.passUnretained(self).toOpaque())
  }

  private var request: UnsafeMutablePointer<uv_getaddrinfo_t> {
    raw.assumingMemoryBound(to: uv_getaddrinfo_t.self)
  }

  override var subject: String? { host }

  func start() -> PendingRequest {
    submit {
      var hints = addrinfo()
      hints.ai_family = family
      hints.ai_socktype = cuv_sock_stream()
      return uv_getaddrinfo(loop.raw, request, didResolve, host, nil, &hints)
    }
  }

  fileprivate func finish(_ code: Int32, _ first: UnsafeMutablePointer<addrinfo>?) {
    defer { if let first { uv_freeaddrinfo(first) } }
    var addresses: [SocketAddress] = []
    var entry = first
    while let current = entry {
      if let address = SocketAddress(current.pointee.ai_addr) { addresses.append(address.with(port: port)) }
      entry = current.pointee.ai_next
    }
    finish(code == 0 && addresses.isEmpty ? UVError.Code.unknownHost.rawValue : code) { addresses }
  }
}

private func didResolve(
  _ request: UnsafeMutablePointer<uv_getaddrinfo_t>?, _ code: Int32, _ first: UnsafeMutablePointer<addrinfo>?
) {
  // Sound: see `init`.
  activeRequest(of: cuv_req_data(request!), as: LookupRequest.self).finish(code, first)
}
