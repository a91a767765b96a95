import CUV

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
