import CUV

/// A connection being established; libuv holds the request, the connection's handle keeps itself alive.
final class ConnectRequest: ActiveRequest {
  private let request = UnsafeMutablePointer<uv_connect_t>.allocate(capacity: 1)
  private let address: SocketAddress
  private var connection: TCPConnection?
  private var done: Completion<TCPConnection>?

  static func start(
    _ loop: EventLoop, _ address: SocketAddress, _ done: @escaping Completion<TCPConnection>
  ) -> PendingRequest {
    do throws(UVError) {
      let request = ConnectRequest(loop, address, try TCPConnection(loop: loop), done)
      try request.submit()
      return PendingRequest(request)
    } catch {
      loop.queueMicrotask { done(.failure(error)) }
      return PendingRequest()
    }
  }

  private init(
    _ loop: EventLoop, _ address: SocketAddress, _ connection: TCPConnection,
    _ done: @escaping Completion<TCPConnection>
  ) {
    self.address = address
    self.connection = connection
    self.done = done
    super.init(loop: loop)
  }

  deinit { request.deallocate() }

  private func submit() throws(UVError) {
    cuv_req_set_data(request, Unmanaged.passUnretained(self).toOpaque())
    let handle = connection!.tcp
    try check(
      address.withSockaddr { uv_tcp_connect(request, handle, $0, didConnect) }, "connect",
      address.description)
    // Balanced when libuv calls back, which it does once, also for a closed handle.
    _ = Unmanaged.passRetained(self)
    loop.requests.insert(self)
  }

  override func cancel(slot: UInt, generation: UInt) { connection?.close() }

  fileprivate func finish(_ code: Int32) {
    loop.requests.remove(self)
    let connection = self.connection.take()!
    if code < 0 {
      connection.close()
      done.take()!(.failure(failure(code, "connect", address.description)))
    } else {
      done.take()!(.success(connection))
    }
  }
}

private func didConnect(_ request: UnsafeMutablePointer<uv_connect_t>?, _ code: Int32) {
  // Balances the retain in `submit`.
  let connect = Unmanaged<ConnectRequest>.fromOpaque(cuv_req_data(request!)).takeRetainedValue()
  let loop = connect.loop
  loop.beginCallback()
  connect.finish(code)
  loop.endCallback()
}
