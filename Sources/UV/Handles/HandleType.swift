import CUV

/// The kind of a handle, or of what a file descriptor refers to. The raw value is libuv's name.
///
/// The corresponding libuv type is `uv_handle_type`, and the function is `uv_handle_type_name`.
public enum HandleType: String, Hashable, Sendable, Codable {
  /// A TCP socket.
  case tcp
  /// A UDP socket.
  case udp
  /// A pipe, or a Unix domain socket.
  case pipe
  /// A terminal.
  case tty
  /// A file, or a device that isn't a terminal. The type of a standard stream that is redirected to a file.
  case file
  /// A timer: a ``LoopTimer``, or the loop's own timer, which serves every sleep.
  case timer
  /// A descriptor that a ``PollWatcher`` watches.
  case poll
  /// A signal that is watched.
  case signal
  /// A child process.
  case process
  /// A file or directory whose changes are watched.
  case fileEvent = "fs_event"
  /// A file whose status is watched.
  case fileStatus = "fs_poll"
  /// A handle that wakes the loop from other threads.
  case async
  /// A handle that is called before the loop waits.
  case prepare
  /// A handle that is called after the loop has waited.
  case check
  /// A handle that is called on each turn of a loop that doesn't wait.
  case idle
  /// Something else, or a descriptor that isn't open.
  case unknown

  /// The kind of what a descriptor refers to; `unknown` if the descriptor isn't open.
  ///
  /// - Parameter fileDescriptor: Any file descriptor.
  ///
  /// The corresponding libuv function is `uv_guess_handle`.
  public init(guessing fileDescriptor: Int32) { self.init(uv_guess_handle(fileDescriptor)) }

  init(_ type: uv_handle_type) {
    self = cuv_handle_type_name(type).flatMap { HandleType(rawValue: String(cString: $0)) } ?? .unknown
  }

  /// Throws unless `fileDescriptor` is open and of this kind. libuv would end the program for some
  /// descriptors of another kind.
  func check(_ fileDescriptor: Int32, _ operation: String) throws(UVError) {
    let type = HandleType(guessing: fileDescriptor)
    guard type != self else { return }
    let subject = "descriptor \(fileDescriptor)"
    guard cuv_is_open(fileDescriptor) else {
      throw UVError(.badDescriptor, operation: operation, subject: subject)
    }
    throw UVError(.invalidArgument, operation: operation, subject: "\(subject) (\(type), not \(self))")
  }
}

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
