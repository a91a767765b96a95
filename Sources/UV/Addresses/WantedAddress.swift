import CUV

/// Where somebody wants to listen: at an address, or at all addresses of this machine.
package enum WantedAddress: Hashable, Sendable {
  case one(SocketAddress)
  /// Those of IPv6 and of IPv4, by one socket.
  case all(port: UInt16)

  /// - Parameter host: An address as a literal; nil for all.
  package init(host: String?, port: Int) throws(UVError) {
    if let host {
      self = .one(try SocketAddress(host, port: port))
    } else {
      self = .all(port: try SocketAddress("::", port: port).port)
    }
  }

  /// The address to bind. A socket of IPv6 that is bound to `::` serves IPv4, too.
  var first: SocketAddress {
    switch self {
    case .one(let address): address
    case .all(let port): SocketAddress(family: .v6(0, 0, scope: 0), port: port)
    }
  }

  /// The address to bind where the system has no IPv6.
  var second: SocketAddress? {
    switch self {
    case .one: nil
    case .all(let port): SocketAddress(family: .v4(0), port: port)
    }
  }

  /// Binds the first address, or the second if the system has none of the first kind.
  func bind<Bound>(_ body: (SocketAddress) throws(UVError) -> Bound) throws(UVError) -> Bound {
    do throws(UVError) { return try body(first) } catch {
      guard let second, error.isForLackOfFamily else { throw error }
      return try body(second)
    }
  }
}

extension UVError {
  /// A kernel without IPv6, and systemd's `RestrictAddressFamilies=`, refuse the socket. Where IPv6 is there but
  /// no interface has it, some refuse the address.
  fileprivate var isForLackOfFamily: Bool {
    code.rawValue == UV_EAFNOSUPPORT.rawValue || code == .addressNotAvailable
  }
}

extension SocketAddress {
  /// An address of IPv4 that the system has written in IPv6's form (`::ffff:192.0.2.1`), as one of IPv4. Others
  /// are as they were.
  package var unmapped: SocketAddress {
    guard case .v6(0, let low, _) = family, UInt64(bigEndian: low) >> 32 == 0xFFFF else { return self }
    return SocketAddress(
      family: .v4(UInt32(truncatingIfNeeded: UInt64(bigEndian: low)).bigEndian), port: port)
  }

  /// An address of IPv4 in the form in which a socket of IPv6 takes it.
  var mapped: SocketAddress {
    guard case .v4(let word) = family else { return self }
    let low = 0xFFFF_0000_0000 | UInt64(UInt32(bigEndian: word))
    return SocketAddress(family: .v6(0, low.bigEndian, scope: 0), port: port)
  }
}

/// Addresses that are to be tried, those of IPv6 and IPv4 in turn, as RFC 8305 says.
package struct AddressQueue {
  private var six = Queue<SocketAddress>()
  private var four = Queue<SocketAddress>()
  /// Whether the next one should be an IPv4 address.
  private var isTurnOfFour = false

  package init() {}

  package var isEmpty: Bool { six.isEmpty && four.isEmpty }

  /// Adds addresses, behind those of the same family.
  package mutating func append(_ addresses: [SocketAddress]) {
    for address in addresses { if address.isIPv6 { six.append(address) } else { four.append(address) } }
  }

  /// Takes the next one; nil if there is none.
  package mutating func popFirst() -> SocketAddress? {
    let address = isTurnOfFour ? four.popFirst() ?? six.popFirst() : six.popFirst() ?? four.popFirst()
    if let address { isTurnOfFour = address.isIPv6 }
    return address
  }
}
