import CUV

/// An address of one of the machine's network interfaces; see ``SystemInfo/interfaceAddresses()``.
///
/// The corresponding libuv type is `uv_interface_address_t`.
public struct InterfaceAddress: Hashable, Sendable {
  /// The interface's name, such as `"eth0"`.
  public var name: String
  /// The interface's hardware address: six bytes, which are zeros if it has none.
  public var hardwareAddress: [UInt8]
  /// Whether the interface leads back to this machine only.
  public var isInternal: Bool
  /// The address, with port 0.
  public var address: SocketAddress
  /// A mask of those bits of the address that identify the network.
  public var netmask: SocketAddress

  /// Nil for an address of another family than IPv4 and IPv6.
  init?(_ entry: uv_interface_address_t) {
    name = String(cString: entry.name)
    hardwareAddress = withUnsafeBytes(of: entry.phys_addr) { Array($0) }
    isInternal = entry.is_internal != 0
    switch Int32(entry.address.address4.sin_family) {
    case AF_INET:
      address = SocketAddress(entry.address.address4)
      netmask = SocketAddress(entry.netmask.netmask4)
    case AF_INET6:
      address = SocketAddress(entry.address.address6)
      netmask = SocketAddress(entry.netmask.netmask6)
    default: return nil
    }
  }
}
