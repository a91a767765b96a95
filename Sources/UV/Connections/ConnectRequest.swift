import CUV

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
