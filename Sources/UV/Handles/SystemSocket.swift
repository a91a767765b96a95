import CUV
import Synchronization

/// System calls on sockets that a module of the package makes itself, which Swift doesn't see in the system's
/// headers.
package enum SystemSocket {
  /// Accepts a connection, which isn't inherited by child processes. On Linux it doesn't block.
  ///
  /// - Returns: The connection's descriptor, or a negative `errno` value.
  package static func accept(
    _ descriptor: Int32, _ address: UnsafeMutablePointer<sockaddr>, _ size: UnsafeMutablePointer<socklen_t>
  ) -> Int32 { cuv_accept_from(descriptor, address, size) }

  /// Sends messages by one call. On systems other than Linux, one message.
  ///
  /// - Parameter messages: Structures laid out as Linux's `mmsghdr`.
  /// - Returns: How many have gone, or a negative `errno` value.
  package static func send(_ descriptor: Int32, _ messages: UnsafeMutableRawPointer, count: Int) -> Int32 {
    cuv_send_messages(descriptor, messages.assumingMemoryBound(to: cuv_message.self), UInt32(count))
  }

  /// Receives messages that have come by one call; see ``send(_:_:count:)``.
  package static func receive(_ descriptor: Int32, _ messages: UnsafeMutableRawPointer, count: Int) -> Int32 {
    cuv_receive_messages(descriptor, messages.assumingMemoryBound(to: cuv_message.self), UInt32(count))
  }
}

/// The file of a listening Unix domain socket. The processes that have the socket own the file together: the
/// last one removes it. See Design/0067-owners.md.
struct SocketFile: Sendable {
  let path: FilePath
  /// Whether another process has the socket, or has had it.
  var isShared = false

  /// The files that stayed because another process had their sockets, while this process had a successor.
  private static let left = ProcessVariable(.leftFiles) { [SocketFile]() }

  /// Called when a descriptor of the socket has been closed. The file goes unless another process has the
  /// socket, or another socket has taken the file's place.
  ///
  /// - Parameter isTriedAgain: Whether to look again once the successor of this process has ended.
  func removeIfUnused(isTriedAgain: Bool = false) {
    let code = path.withPlatformString { cuv_remove_stale_socket($0) }
    // A process that has given up its privileges may not ask. A file that was never shared is its own.
    if code == UV_EACCES.rawValue, !isShared { _ = path.withPlatformString { CUV.unlink($0) } }
    if code != 0, isShared, isTriedAgain { Self.left.withLock { $0.append(self) } }
  }

  /// A successor has ended, which may have been the last process with a socket.
  static func removeLeft() {
    let files = left.withLock { left in
      defer { left = [] }
      return left
    }
    for file in files { file.removeIfUnused() }
  }
}

/// The standard streams that a loop has opened.
struct StandardStreams {
  private var streams: [Int32: Handle] = [:]
  /// Descriptors that this process has made non-blocking, and shares with others.
  private var borrowed: [Int32] = []

  subscript(descriptor: Int32) -> Handle? {
    get { streams[descriptor] }
    set { streams[descriptor] = newValue }
  }

  /// Notes that a descriptor has to be made blocking again.
  mutating func borrow(_ descriptor: Int32) { borrowed.append(descriptor) }

  /// Forgets a stream that has closed.
  mutating func forget(_ stream: Handle) {
    if streams.isEmpty, borrowed.isEmpty { return }
    streams = streams.filter { $0.value !== stream }
    // Two of them can be one and the same socket.
    if streams.isEmpty { giveBack() }
  }

  private mutating func giveBack() {
    // A descriptor that the program has closed meanwhile has no mode.
    for descriptor in borrowed { try? check(cuv_set_blocking(descriptor), "fcntl") }
    borrowed = []
  }

  /// Drops the streams, which are closing. The loop ends.
  mutating func drop() {
    streams = [:]
    giveBack()
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
