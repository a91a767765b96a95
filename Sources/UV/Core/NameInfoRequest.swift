import CUV

/// An address whose name is being looked up on the thread pool.
final class NameInfoRequest: ActiveRequest {
  private let request = UnsafeMutablePointer<uv_getnameinfo_t>.allocate(capacity: 1)
  private let address: SocketAddress
  private var done: Completion<NameInfo>?

  init(_ loop: EventLoop, _ address: SocketAddress, _ done: @escaping Completion<NameInfo>) {
    self.address = address
    self.done = done
    super.init(loop: loop)
  }

  deinit { request.deallocate() }

  func start(_ options: NameInfoOptions) -> PendingRequest {
    cuv_req_set_data(request, Unmanaged.passUnretained(self).toOpaque())
    let code =
      loop.isClosed
      ? UVError.Code.loopClosed.rawValue
      : address.withSockaddr { uv_getnameinfo(loop.raw, request, didFindName, $0, options.rawValue) }
    if code < 0 {
      fail(code)
      return PendingRequest()
    }
    // The loop's list of requests owns it until libuv calls back, which it does once.
    loop.requests.insert(self)
    return PendingRequest(self)
  }

  override func cancel(slot: UInt, generation: UInt) {
    // A lookup that has begun cannot be stopped: its answer comes to nobody.
    uv_cancel(cuv_request(request))
    fail(UV_ECANCELED.rawValue)
  }

  private func fail(_ code: Int32) {
    guard let done = done.take() else { return }
    let error = failure(code, "getnameinfo", address.description)
    loop.queueMicrotask { done(.failure(error)) }
  }

  fileprivate func finish(_ code: Int32, _ host: UnsafePointer<CChar>?, _ service: UnsafePointer<CChar>?) {
    loop.requests.remove(self)
    guard let done = done.take() else { return }
    guard code == 0, let host, let service else {
      return done(.failure(failure(code, "getnameinfo", address.description)))
    }
    done(.success(NameInfo(host: String(cString: host), service: String(cString: service))))
  }
}

private func didFindName(
  _ request: UnsafeMutablePointer<uv_getnameinfo_t>?, _ code: Int32, _ host: UnsafePointer<CChar>?,
  _ service: UnsafePointer<CChar>?
) {
  // Sound: the loop's list of requests owns it meanwhile.
  let lookup = Unmanaged<NameInfoRequest>.fromOpaque(cuv_req_data(request!)).takeUnretainedValue()
  let loop = lookup.loop
  loop.beginCallback()
  lookup.finish(code, host, service)
  loop.endCallback()
}
