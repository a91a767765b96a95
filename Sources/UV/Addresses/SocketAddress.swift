import CUV

/// The address of a socket: an IPv4 or IPv6 address with a port.
///
/// ```swift
/// let address = try SocketAddress("::1", port: 8080)
/// print(address)  // [::1]:8080
/// ```
public struct SocketAddress: Hashable, Sendable {
  enum Family: Hashable, Sendable {
    /// The four bytes in network order.
    case v4(UInt32)
    /// The sixteen bytes in network order, as two words, and the interface of a link-local address.
    case v6(UInt64, UInt64, scope: UInt32)
  }

  let family: Family

  /// The port in host byte order; 0 means any port.
  public let port: UInt16

  /// Creates an address from a literal such as `"127.0.0.1"`, `"::1"` or `"fe80::1%eth0"`. Names aren't
  /// looked up.
  ///
  /// - Parameters:
  ///   - host: An IPv4 address in dotted form, or an IPv6 address without brackets.
  ///   - port: 0…65535. With 0 the system chooses a port when a listener binds.
  /// - Throws: `invalidArgument` if `host` isn't an address or `port` is out of range.
  ///
  /// The corresponding libuv functions are `uv_ip4_addr` and `uv_ip6_addr`.
  public init(_ host: String, port: Int) throws(UVError) {
    guard let port = UInt16(exactly: port) else {
      throw UVError(.invalidArgument, operation: "ip_addr", subject: "\(host) port \(port) (0...65535)")
    }
    var v4 = sockaddr_in()
    var v6 = sockaddr_in6()
    if host.utf8.contains(0) {
      throw UVError(.invalidArgument, operation: "ip_addr", subject: host)
    } else if uv_ip4_addr(host, Int32(port), &v4) == 0 {
      self.init(v4)
    } else if uv_ip6_addr(host, Int32(port), &v6) == 0 {
      self.init(v6)
    } else {
      throw UVError(.invalidArgument, operation: "ip_addr", subject: host)
    }
  }

  init(_ address: sockaddr_in) {
    family = .v4(address.sin_addr.s_addr)
    port = UInt16(bigEndian: address.sin_port)
  }

  init(_ address: sockaddr_in6) {
    let words = withUnsafeBytes(of: address.sin6_addr) {
      ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }
    family = .v6(words.0, words.1, scope: address.sin6_scope_id)
    port = UInt16(bigEndian: address.sin6_port)
  }

  /// An address that the system filled in; nil if this type can't hold its family. A socket of IPv6 that serves
  /// IPv4, too, has peers of IPv4: they are the same as those of another socket.
  package init?(_ pointer: UnsafePointer<sockaddr>?) {
    guard let pointer else { return nil }
    let raw = UnsafeRawPointer(pointer)
    switch Int32(pointer.pointee.sa_family) {
    case AF_INET: self.init(raw.loadUnaligned(as: sockaddr_in.self))
    case AF_INET6: self = SocketAddress(raw.loadUnaligned(as: sockaddr_in6.self)).unmapped
    default: return nil
    }
  }

  /// An address of four bytes or of sixteen, as they travel; nil for another number of bytes.
  package init?(bytes: some Collection<UInt8>, port: UInt16 = 0) {
    func word<Word: FixedWidthInteger>(_ bytes: some Collection<UInt8>) -> Word {
      Word(bigEndian: bytes.reduce(0) { $0 << 8 | Word($1) })
    }
    switch bytes.count {
    case 4: self.init(family: .v4(word(bytes)), port: port)
    case 16: self.init(family: .v6(word(bytes.prefix(8)), word(bytes.suffix(8)), scope: 0), port: port)
    default: return nil
    }
  }

  /// The bytes of the address, four or sixteen, as they travel.
  package var bytes: [UInt8] {
    switch family {
    case .v4(let word): withUnsafeBytes(of: word) { Array($0) }
    case .v6(let high, let low, _): withUnsafeBytes(of: (high, low)) { Array($0) }
    }
  }

  init(family: Family, port: UInt16) {
    self.family = family
    self.port = port
  }
}

extension SocketAddress {
  /// Whether this is an IPv6 address.
  public var isIPv6: Bool { if case .v6 = family { true } else { false } }

  /// The address without its port, as text: `"127.0.0.1"`, `"::1"`, `"fe80::1%eth0"`.
  ///
  /// The corresponding libuv functions are `uv_ip_name` and `uv_if_indextoname`.
  public var host: String {
    guard case .v6(_, _, let scope) = family, scope != 0 else { return name }
    // libuv leaves out the interface, and a link-local address is useless without it.
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
      var size = buffer.count
      guard uv_if_indextoname(scope, buffer.baseAddress!, &size) == 0 else { return "\(name)%\(scope)" }
      return "\(name)%\(String(cString: buffer.baseAddress!))"
    }
  }

  private var name: String {
    withSockaddr { pointer in
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
        guard uv_ip_name(pointer, buffer.baseAddress!, buffer.count) == 0 else { return "?" }
        return String(cString: buffer.baseAddress!)
      }
    }
  }

  /// The same address with another port.
  public func with(port: UInt16) -> SocketAddress { SocketAddress(family: family, port: port) }

  /// Calls `body` with the address in the system's form.
  package func withSockaddr<T, E: Error>(_ body: (UnsafePointer<sockaddr>) throws(E) -> T) throws(E) -> T {
    // This is zeroed storage of the largest kind, filled through a typed view. The system looks at the family
    // to read it.
    var storage = sockaddr_storage()
    switch family {
    case .v4(let bytes):
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = bytes
      withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: address, as: sockaddr_in.self) }
    case .v6(let high, let low, let scope):
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      address.sin6_scope_id = scope
      withUnsafeMutableBytes(of: &address.sin6_addr) {
        $0.storeBytes(of: high, as: UInt64.self)
        $0.storeBytes(of: low, toByteOffset: 8, as: UInt64.self)
      }
      withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: address, as: sockaddr_in6.self) }
    }
    return try withUnsafePointer(to: &storage) { pointer throws(E) in
      try body(UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self))
    }
  }
}

extension SocketAddress: CustomStringConvertible {
  /// The address and port as text, such as `"127.0.0.1:80"` or `"[::1]:80"`.
  public var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
