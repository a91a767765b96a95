import CUV

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

extension EventLoop {
  /// Gives the calling thread the loop's name, for debuggers.
  package func nameThread() { cuv_name_thread(name) }
}
