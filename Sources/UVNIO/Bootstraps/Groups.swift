#if NIO || NIOBootstraps || Everything
import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#else
import Darwin
#endif

extension EventLoopGroup {
  /// Whether its loops are this module's.
  var isUV: Bool { self is UVEventLoopGroup || self is UVEventLoop }

  func requireUV() {
    precondition(
      isUV,
      "UVNIO's bootstraps need a UVEventLoopGroup, or a loop's nio; this is a \(type(of: self))")
  }

  /// The next loop of a group that ``requireUV()`` has looked at.
  func nextUVLoop() -> UVEventLoop {
    (self as? UVEventLoopGroup)?.nextLoop() ?? (self as! UVEventLoop)
  }
}

/// The address of a path, from which a socket that nobody listens on any more may be removed.
func unixAddress(_ path: String, removingSocket: Bool) throws -> SocketAddress {
  if removingSocket {
    var status = stat()
    if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK, unlink(path) < 0, errno != ENOENT {
      throw Socket.error("unlink")
    }
  }
  return try SocketAddress(unixDomainSocketPath: path)
}
#endif
