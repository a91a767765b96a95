#if NIO || NIOBootstraps || Everything
import NIOCore
import UV

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#else
import Darwin
#endif

extension NIOCore.SocketAddress {
  /// An address of swift-uv's, in NIO's form.
  init(_ address: UV.SocketAddress) {
    self = address.withSockaddr { pointer in
      // Sound: swift-uv has filled in the structure of the family, in memory with room for any.
      let raw = UnsafeRawPointer(pointer)
      return address.isIPv6
        ? NIOCore.SocketAddress(raw.loadUnaligned(as: sockaddr_in6.self), host: address.host)
        : NIOCore.SocketAddress(raw.loadUnaligned(as: sockaddr_in.self), host: address.host)
    }
  }
}
#endif
