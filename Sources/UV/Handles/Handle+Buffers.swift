import CUV

extension Handle {
  /// The size of the buffer from which the system sends the socket's bytes.
  ///
  /// - Returns: The size in bytes. Linux returns twice what was asked for, because it counts what it needs
  ///   itself.
  /// - Throws: `notSupported` or `notSocket` if the handle isn't a socket, and `badDescriptor` if it is
  ///   closed.
  ///
  /// The corresponding libuv function is `uv_send_buffer_size`.
  public func sendBufferSize() throws(UVError) -> Int {
    try bufferSize("send_buffer_size", 0, uv_send_buffer_size)
  }

  /// Asks the system for another size of the buffer from which it sends the socket's bytes.
  ///
  /// - Parameter size: The size in bytes, 1 or more. The system keeps it within its own bounds.
  /// - Throws: The errors of ``sendBufferSize()``, and `invalidArgument` for a size that is out of range.
  ///
  /// The corresponding libuv function is `uv_send_buffer_size`.
  public func setSendBufferSize(_ size: Int) throws(UVError) {
    _ = try bufferSize("send_buffer_size", checked(size, "send_buffer_size"), uv_send_buffer_size)
  }

  /// The size of the buffer into which the system receives the socket's bytes.
  ///
  /// - Returns: The size in bytes. Linux returns twice what was asked for, because it counts what it needs
  ///   itself.
  /// - Throws: `notSupported` or `notSocket` if the handle isn't a socket, and `badDescriptor` if it is
  ///   closed.
  ///
  /// The corresponding libuv function is `uv_recv_buffer_size`.
  public func receiveBufferSize() throws(UVError) -> Int {
    try bufferSize("recv_buffer_size", 0, uv_recv_buffer_size)
  }

  /// Asks the system for another size of the buffer into which it receives the socket's bytes.
  ///
  /// - Parameter size: The size in bytes, 1 or more. The system keeps it within its own bounds.
  /// - Throws: The errors of ``receiveBufferSize()``, and `invalidArgument` for a size that is out of range.
  ///
  /// The corresponding libuv function is `uv_recv_buffer_size`.
  public func setReceiveBufferSize(_ size: Int) throws(UVError) {
    _ = try bufferSize("recv_buffer_size", checked(size, "recv_buffer_size"), uv_recv_buffer_size)
  }

  /// Asks libuv for the size if `size` is 0, and sets it otherwise.
  private func bufferSize(
    _ operation: String, _ size: Int32,
    _ call: (UnsafeMutablePointer<uv_handle_t>?, UnsafeMutablePointer<Int32>?) -> Int32
  ) throws(UVError) -> Int {
    try checkOpen(operation)
    var size = size
    try check(call(block.handle, &size), operation)
    return Int(size)
  }

  private func checked(_ size: Int, _ operation: String) throws(UVError) -> Int32 {
    guard size > 0, let size = Int32(exactly: size) else {
      throw UVError(.invalidArgument, operation: operation, subject: "\(size)")
    }
    return size
  }
}
