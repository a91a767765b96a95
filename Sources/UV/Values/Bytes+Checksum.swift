/// The checksum CRC-32C (Castagnoli), of bytes that come in parts.
package struct CRC32C {
  /// The term that each value of a byte adds.
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0x82F6_3B78 : sum >> 1 }
  }

  private var sum = UInt32.max

  package init() {}

  /// The checksum of what was added.
  package var value: UInt32 { ~sum }

  package mutating func add(_ bytes: Span<UInt8>) {
    let table = Self.table
    for index in bytes.indices { sum = table[Int(UInt8(truncatingIfNeeded: sum) ^ bytes[index])] ^ sum >> 8 }
  }
}

extension Bytes {
  /// The checksum CRC-32C (Castagnoli) of the bytes, which shows a record that was written or sent in part, or
  /// damaged by chance. It is the one of iSCSI, ext4 and the PROXY protocol; whoever means harm can forge it.
  /// Complexity: O(*n*).
  public var crc32c: UInt32 {
    var sum = CRC32C()
    sum.add(span)
    return sum.value
  }
}
