import CUV

/// A request that looks up the names of an address.
final class NameInfoRequest: PoolRequest<NameInfo> {
  private let address: SocketAddress

  override var subject: String? { address.description }

  init(_ loop: EventLoop, _ address: SocketAddress, _ done: @escaping Completion<NameInfo>) {
    self.address = address
    super.init(loop, "getnameinfo", uv_getnameinfo_t.self, done)
    cuv_req_set_data(request, Unmanaged.passUnretained(self).toOpaque())
  }

  private var request: UnsafeMutablePointer<uv_getnameinfo_t> {
    raw.assumingMemoryBound(to: uv_getnameinfo_t.self)
  }

  func start(_ options: NameInfoOptions) -> PendingRequest {
    submit { address.withSockaddr { uv_getnameinfo(loop.raw, request, didFindName, $0, options.rawValue) } }
  }
}

private func didFindName(
  _ request: UnsafeMutablePointer<uv_getnameinfo_t>?, _ code: Int32, _ host: UnsafePointer<CChar>?,
  _ service: UnsafePointer<CChar>?
) {
  // Sound: the loop's list of requests owns it meanwhile.
  let lookup = activeRequest(of: cuv_req_data(request!), as: NameInfoRequest.self)
  lookup.finish(code) { NameInfo(host: String(cString: host!), service: String(cString: service!)) }
}
