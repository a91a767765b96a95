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
