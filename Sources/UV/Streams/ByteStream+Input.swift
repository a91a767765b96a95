import CUV

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension ByteStream {
  /// Whether the system has bytes for the stream that libuv hasn't read, or its end. It costs a call of the system. One who
  /// is to write what can't be written twice asks it: the peer may have ended a connection since the loop has looked.
  package var hasUnreadInput: Bool {
    guard let descriptor = try? fileDescriptor() else { return true }
    var target = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&target, 1, 0) != 0
  }
}
