import CUV

/// System calls on sockets that a module of the package makes itself, which Swift doesn't see in the system's headers.
package enum SystemSocket {
  /// Accepts a connection, which isn't inherited by child processes. On Linux it doesn't block.
  ///
  /// - Returns: The connection's descriptor, or a negative `errno` value.
  package static func accept(
    _ descriptor: Int32, _ address: UnsafeMutablePointer<sockaddr>, _ size: UnsafeMutablePointer<socklen_t>
  ) -> Int32 { cuv_accept_from(descriptor, address, size) }
}

extension EventLoop {
  /// Gives the calling thread the loop's name, for debuggers.
  package func nameThread() { cuv_name_thread(name) }
}
