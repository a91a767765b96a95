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

/// A host and a port, as they stand in options and in requests of CONNECT: `example.com:443`, `10.0.0.1:80`,
/// `[::1]:8080`.
///
/// ```swift
/// guard let server = HostPort("example.com:443") else { … }
/// let connection = try await loop.tcp.connect(host: server.host, port: server.port).value
/// ```
///
/// RFC 3986, 3.2.2 and 3.2.3, say how it is written.
public struct HostPort: Hashable, Sendable, LosslessStringConvertible {
  /// A name or an address, which has no brackets.
  public let host: String
  /// The port, 1…65535.
  public let port: Int

  /// - Parameter text: `HOST:PORT`. An IPv6 address has to be in brackets.
  /// - Returns: nil if the text has another form, or the port is 0 or more than 65535.
  public init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":") else { return nil }
    let digits = text[text.index(after: colon)...]
    guard digits.utf8.allSatisfy({ 48...57 ~= $0 }), let port = Int(digits), 1...65535 ~= port else {
      return nil
    }
    var host = text[..<colon]
    let isBracketed = host.first == "[" && host.last == "]"
    if isBracketed { host = host.dropFirst().dropLast() }
    guard !host.isEmpty, !host.contains(where: { "[] /@".contains($0) }), host.contains(":") == isBracketed
    else { return nil }
    (self.host, self.port) = (String(host), port)
  }

  /// `HOST:PORT`.
  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// Addresses that have their first bits in common, such as `10.0.0.0/8`.
package struct AddressRange: Hashable, Sendable {
  /// Sixteen bytes; an IPv4 address is the one that IPv6 maps it to.
  private let high, low: UInt64
  private let prefix: Int

  /// - Parameter text: An address, or an address, a slash and how many of its first bits count.
  /// - Throws: `invalidArgument` if it is neither.
  package init(_ text: String) throws(UVError) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, let address = try? SocketAddress(String(parts[0]), port: 0),
      !parts[0].contains("%")
    else { throw UVError(.invalidArgument, operation: "address range", subject: text) }
    let width = address.isIPv6 ? 128 : 32
    var prefix = width
    if parts.count == 2 {
      guard let given = Bytes(parts[1]).decimal, 0...width ~= given, parts[1] == "\(given)" else {
        throw UVError(.invalidArgument, operation: "address range", subject: "\(text) (0...\(width) bits)")
      }
      prefix = given
    }
    (high, low) = Self.words(address)
    self.prefix = 128 - width + prefix
  }

  /// Whether the address is one of these. An IPv4 address that came to an IPv6 socket is one of IPv4.
  package func contains(_ address: SocketAddress) -> Bool {
    let (otherHigh, otherLow) = Self.words(address)
    let highBits = min(prefix, 64)
    let lowBits = prefix - highBits
    let highMask = highBits == 0 ? 0 : UInt64.max << (64 - highBits)
    let lowMask = lowBits == 0 ? 0 : UInt64.max << (64 - lowBits)
    return (high ^ otherHigh) & highMask == 0 && (low ^ otherLow) & lowMask == 0
  }

  private static func words(_ address: SocketAddress) -> (UInt64, UInt64) {
    switch address.family {
    case .v4(let bytes): (0, 0xFFFF_0000_0000 | UInt64(UInt32(bigEndian: bytes)))
    case .v6(let high, let low, _): (UInt64(bigEndian: high), UInt64(bigEndian: low))
    }
  }
}
