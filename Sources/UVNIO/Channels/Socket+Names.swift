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

extension Socket {
  func localAddress() throws -> SocketAddress { try address("getsockname", getsockname) }

  func remoteAddress() throws -> SocketAddress { try address("getpeername", getpeername) }

  private func address(
    _ call: String, _ get: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) throws -> SocketAddress {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let code = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { get(descriptor, $0, &size) }
    }
    if code < 0 { throw Self.error(call) }
    guard let address = SocketAddress(storage) else { throw SocketAddressError.unsupported }
    return address
  }

  // MARK: Options

  func setOption<Value>(_ level: Int32, _ name: Int32, _ value: Value) throws {
    try withUnsafeBytes(of: value) { try setOption(level, name, $0) }
  }

  /// Sets an option whose value is a structure.
  func setOption(_ level: Int32, _ name: Int32, bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { try setOption(level, name, $0) }
  }

  private func setOption(_ level: Int32, _ name: Int32, _ value: UnsafeRawBufferPointer) throws {
    if setsockopt(descriptor, level, name, value.baseAddress, socklen_t(value.count)) == 0 { return }
    let error = Self.error("setsockopt")
    // A Unix socket has no such option, and sends small writes at once anyway.
    if level == IPPROTO_TCP, name == TCP_NODELAY, case .unixDomainSocket? = try? localAddress() { return }
    throw error
  }

  func option<Value>(_ level: Int32, _ name: Int32, as _: Value.Type = Value.self) throws -> Value {
    var size = socklen_t(MemoryLayout<Value>.size)
    return try withUnsafeTemporaryAllocation(
      byteCount: MemoryLayout<Value>.stride, alignment: MemoryLayout<Value>.alignment
    ) { memory in
      // The system may fill in less than there is room for.
      memory.initializeMemory(as: UInt8.self, repeating: 0)
      if getsockopt(descriptor, level, name, memory.baseAddress, &size) < 0 { throw Self.error("getsockopt") }
      return memory.load(as: Value.self)
    }
  }
}

extension SocketAddress {
  /// An address that the system has filled in; nil if NIO has none of its family.
  init?(_ storage: sockaddr_storage) {
    var storage = storage
    let family = Int32(storage.ss_family)
    let address: SocketAddress? = withUnsafeBytes(of: &storage) { bytes in
      switch family {
      case AF_INET: SocketAddress(bytes.load(as: sockaddr_in.self))
      case AF_INET6: SocketAddress(bytes.load(as: sockaddr_in6.self))
      case AF_UNIX: SocketAddress(bytes.load(as: sockaddr_un.self))
      default: nil
      }
    }
    guard let address else { return nil }
    self = address
  }
}
#endif
