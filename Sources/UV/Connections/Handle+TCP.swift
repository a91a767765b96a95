import CUV

/// The options and calls of a TCP socket. A stream that encrypts its bytes has them, too.
extension Handle {
  func tcp(_ operation: String) throws(UVError) -> UnsafeMutablePointer<uv_tcp_t> {
    try checkOpen(operation)
    if cuv_handle_type(block.handle) != UV_TCP { throw UVError(.notSupported, operation: operation) }
    return block.raw.assumingMemoryBound(to: uv_tcp_t.self)
  }

  package func setTCPNoDelay(_ isEnabled: Bool) throws(UVError) {
    try check(uv_tcp_nodelay(tcp("tcp_nodelay"), isEnabled ? 1 : 0), "tcp_nodelay")
  }

  /// Sets what each TCP stream has by default. A handle without a socket keeps it for that, and
  /// the system gives accepted sockets what their listener has.
  func setTCPDefaults() throws(UVError) {
    if cuv_handle_type(block.handle) == UV_TCP { try setTCPNoDelay(true) }
  }

  package func setTCPKeepAlive(_ idle: Duration?) throws(UVError) {
    let tcp = try tcp("tcp_keepalive")
    guard let idle else { return try check(uv_tcp_keepalive(tcp, 0, 0), "tcp_keepalive") }
    guard idle >= .seconds(1), idle < .seconds(Int32.max) else {
      throw UVError(.invalidArgument, operation: "tcp_keepalive", subject: idle.description)
    }
    try check(uv_tcp_keepalive(tcp, 1, UInt32(idle.components.seconds)), "tcp_keepalive")
  }

  package func setTCPUserTimeout(_ limit: Duration?) throws(UVError) {
    _ = try tcp("tcp_user_timeout")
    if let limit, limit < .milliseconds(1) || limit > .milliseconds(Int64(Int32.max)) {
      throw UVError(.invalidArgument, operation: "tcp_user_timeout", subject: limit.description)
    }
    try check(
      cuv_set_user_timeout(fileDescriptor(), Int32(limit?.milliseconds ?? 0)), "tcp_user_timeout")
  }

  package func localTCPAddress() throws(UVError) -> SocketAddress {
    let tcp = try tcp("tcp_getsockname")
    return try address("tcp_getsockname") { uv_tcp_getsockname(tcp, $0, $1) }
  }

  package func peerTCPAddress() throws(UVError) -> SocketAddress {
    let tcp = try tcp("tcp_getpeername")
    return try address("tcp_getpeername") { uv_tcp_getpeername(tcp, $0, $1) }
  }
}
