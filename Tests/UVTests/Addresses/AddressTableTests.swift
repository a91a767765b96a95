import Testing
import UVTestSupport

@testable import UV

/// Addresses and ranges of them, beside models that look at each bit.
@Suite struct AddressTableTests {
  private static func bits(_ bytes: [UInt8]) -> [Bool] {
    bytes.flatMap { byte in (0..<8).map { byte & (0x80 >> UInt8($0)) != 0 } }
  }

  /// An address as sixteen bytes, which an IPv4 address has in IPv6's form.
  private static func long(_ address: SocketAddress) -> [UInt8] {
    address.bytes.count == 16 ? address.bytes : [UInt8](repeating: 0, count: 10) + [255, 255] + address.bytes
  }

  @Test("A range has the addresses whose first bits are its own, for each length", arguments: [4, 16])
  func ranges(count: Int) throws {
    let draws = Draws(UInt64(count))
    let base = try #require(SocketAddress(bytes: (0..<count).map { _ in UInt8(draws.draw(256)) }))
    for length in 0...count * 8 {
      let range = try AddressRange("\(base.host)/\(length)")
      #expect(range.contains(base))
      for bit in 0..<count * 8 {
        var bytes = base.bytes
        bytes[bit / 8] ^= 0x80 >> UInt8(bit % 8)
        let other = try #require(SocketAddress(bytes: bytes, port: 80))
        #expect(range.contains(other) == (bit >= length), "bit \(bit) of /\(length)")
      }
      // IPv4 has its own place among those of IPv6.
      let four = try SocketAddress("192.0.2.1", port: 1)
      let expected = zip(Self.bits(Self.long(base)), Self.bits(Self.long(four))).prefix(
        128 - count * 8 + length
      )
      .allSatisfy { $0 == $1 }
      #expect(range.contains(four) == expected)
    }
    #expect(throws: UVError.self) { try AddressRange("\(base.host)/\(count * 8 + 1)") }
  }

  @Test("An address of IPv4 in IPv6's form is the same address, and no other is changed") func mapped() throws
  {
    for host in ["0.0.0.0", "1.2.3.4", "127.0.0.1", "255.255.255.255", "0.0.0.1", "128.0.0.0"] {
      let four = try SocketAddress(host, port: 7)
      #expect(four.mapped.isIPv6 && four.mapped.port == 7)
      #expect(try four.mapped == SocketAddress("::ffff:\(host)", port: 7))
      #expect(four.mapped.unmapped == four && four.unmapped == four && four.mapped.mapped == four.mapped)
      #expect(Array(four.mapped.bytes.suffix(4)) == four.bytes)
    }
    for host in [
      "::", "::1", "::1.2.3.4", "::fffe:1.2.3.4", "1::ffff:1.2.3.4", "::1:ffff:102:304", "fe80::1%lo",
      "2001:db8::ffff:102:304",
    ] {
      let six = try SocketAddress(host, port: 7)
      #expect(six.unmapped == six && six.mapped == six, "\(host)")
    }
  }

  @Test("Bytes of an address come back as they went, and other numbers of bytes are none") func bytes() {
    let draws = Draws(3)
    for _ in 0..<50 {
      for count in [4, 16] {
        let bytes = (0..<count).map { _ in UInt8(draws.draw(256)) }
        let address = SocketAddress(bytes: bytes, port: 513)
        #expect(address?.bytes == bytes && address?.port == 513 && address?.isIPv6 == (count == 16))
        let text = address.flatMap { try? SocketAddress($0.host, port: 513) }
        #expect(text == address)
      }
    }
    for count in 0..<20 where count != 4 && count != 16 {
      #expect(SocketAddress(bytes: [UInt8](repeating: 1, count: count)) == nil)
    }
  }

  @Test("Families take turns, in whatever order addresses come", arguments: 1...4) func queue(seed: UInt64)
    throws
  {
    let draws = Draws(seed)
    var queue = AddressQueue()
    var (six, four): ([SocketAddress], [SocketAddress]) = ([], [])
    var wasSix = false
    for number in 1...300 {
      if draws.draw(2) == 0 {
        let addresses = try (0..<draws.draw(4)).map { index in
          try SocketAddress(
            draws.draw(2) == 0 ? "::\(number):\(index)" : "10.\(number % 256).0.\(index)", port: number)
        }
        six += addresses.filter(\.isIPv6)
        four += addresses.filter { !$0.isIPv6 }
        queue.append(addresses)
      } else {
        let isSix = !six.isEmpty && (!wasSix || four.isEmpty)
        let expected = isSix ? six.removeFirst() : four.isEmpty ? nil : four.removeFirst()
        #expect(queue.popFirst() == expected)
        if let expected { wasSix = expected.isIPv6 }
      }
      #expect(queue.isEmpty == (six.isEmpty && four.isEmpty))
    }
  }
}
