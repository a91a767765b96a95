import Testing
import UV

/// The header of the PROXY protocol, as bytes.
@Suite struct ProxyHeaderTests {
  @Test("A header is found whole, wherever it is cut, and what follows isn't part of it")
  func valid() throws {
    for (bytes, header) in try ProxyBytes.valid() {
      for count in 0..<bytes.count {
        #expect(try ProxyHeader.parse(Bytes(bytes[..<count]).span) == nil, "\(count) of \(bytes.count)")
      }
      for rest in ["", "\r\n", "GET / HTTP/1.1\r\n"] as [Bytes] {
        let found = try #require(try ProxyHeader.parse(Bytes(bytes + rest).span))
        #expect(found.header == header && found.count == bytes.count)
      }
    }
  }

  @Test("What is no header is refused, wherever it is cut", arguments: ProxyBytes.malformed)
  func malformed(bytes: [UInt8]) {
    var isRefused = false
    for count in 1...bytes.count {
      do {
        let found = try ProxyHeader.parse(Bytes(bytes[..<count]).span)
        #expect(found == nil && !isRefused)
      } catch { isRefused = true }
    }
    #expect(isRefused)
  }

  @Test func `Each bit of a summed header counts`() throws {
    let bytes = ProxyBytes.summed([2, 0, 1, 0x61])
    // A checksum of another type is none, and nothing is compared.
    for place in 0..<bytes.count where place != 28 {
      for bit in 0..<8 {
        var changed = bytes
        changed[place] ^= 1 << bit
        // More bytes may be asked for, and a load balancer may speak for itself.
        let found = try? ProxyHeader.parse(Bytes(changed).span)
        #expect(found == nil || found!.header == ProxyHeader() && place == 12, "bit \(bit) of \(place)")
      }
    }
  }

  @Test func `Ranges of addresses have the addresses whose first bits are theirs`() throws {
    func holds(_ range: String, _ host: String) throws -> Bool {
      try AddressRange(range).contains(SocketAddress(host, port: 1))
    }
    for (range, host) in [
      ("10.0.0.0/8", "10.255.0.1"), ("10.1.2.3", "10.1.2.3"), ("0.0.0.0/0", "1.2.3.4"), ("::/0", "::1"),
      ("fd00::/8", "fdff::1"), ("::1", "::1"), ("10.0.0.0/8", "::ffff:10.0.0.1"), ("10.9.9.9/8", "10.0.0.1"),
      ("2001:db8::/65", "2001:db8::7fff:0:0:1"), ("192.0.2.128/25", "192.0.2.255"), ("::/0", "1.2.3.4"),
    ] { #expect(try holds(range, host), "\(range) \(host)") }
    for (range, host) in [
      ("10.0.0.0/8", "11.0.0.1"), ("10.1.2.3", "10.1.2.4"), ("fd00::/8", "fc00::1"), ("0.0.0.0/0", "::1"),
      ("2001:db8::/65", "2001:db8::8000:0:0:1"), ("192.0.2.128/25", "192.0.2.127"), ("::1", "127.0.0.1"),
    ] { #expect(try !holds(range, host), "\(range) \(host)") }
    for text in [
      "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "::/129", "a", "10.0.0.0/08", "1.1.1.1/8/8",
      "fe80::1%lo", "10.0.0.0/+8",
    ] {
      #expect(throws: UVError.self, "\(text)") { try AddressRange(text) }
    }
  }
}

/// Headers of version 1 and 2, and what is none.
private enum ProxyBytes {
  /// A header of version 2.
  static func second(
    _ family: UInt8, _ rest: [UInt8], command: UInt8 = 0x21, count: Int? = nil
  ) -> [UInt8] {
    let count = count ?? rest.count
    return Array("\r\n\r\n\0\r\nQUIT\n".utf8) + [command, family, UInt8(count >> 8), UInt8(count & 255)]
      + rest
  }

  static let four: [UInt8] = [192, 0, 2, 1, 198, 51, 100, 7, 0x1F, 0x90, 0x01, 0xBB]
  static let six: [UInt8] =
    [0x20, 1, 0xD, 0xB8] + [UInt8](repeating: 0, count: 11) + [1] + [0x20, 1, 0xD, 0xB8]
    + [UInt8](repeating: 0, count: 11) + [2] + [0x1F, 0x90, 0x01, 0xBB]

  /// A header whose checksum is right, unless it is made wrong.
  static func summed(_ fields: [UInt8], wrong: UInt32 = 0) -> [UInt8] {
    var bytes = second(0x11, four + [3, 0, 4, 0, 0, 0, 0] + fields)
    let sum = Bytes(bytes).crc32c ^ wrong
    for index in 0..<4 { bytes[31 + index] = UInt8(truncatingIfNeeded: sum >> (24 - 8 * UInt32(index))) }
    return bytes
  }

  static func known() throws -> ProxyHeader {
    try ProxyHeader(
      source: SocketAddress("192.0.2.1", port: 8080), destination: SocketAddress("198.51.100.7", port: 443))
  }

  static func valid() throws -> [(bytes: [UInt8], header: ProxyHeader)] {
    let four = try known()
    let six = try ProxyHeader(
      source: SocketAddress("2001:db8::1", port: 8080), destination: SocketAddress("2001:db8::2", port: 443))
    func with(_ fields: ProxyHeader.Field...) -> ProxyHeader {
      ProxyHeader(source: four.source, destination: four.destination, fields: fields)
    }
    let longest = "PROXY UNKNOWN " + String(repeating: "f", count: 91) + "\r\n"
    return [
      (Array("PROXY TCP4 192.0.2.1 198.51.100.7 8080 443\r\n".utf8), four),
      (Array("PROXY TCP6 2001:db8::1 2001:db8::2 8080 443\r\n".utf8), six),
      (Array("PROXY UNKNOWN\r\n".utf8), ProxyHeader()), (Array(longest.utf8), ProxyHeader()),
      (second(0x11, Self.four), four), (second(0x21, Self.six), six), (second(0, []), ProxyHeader()),
      (second(0x31, [UInt8](repeating: 7, count: 216)), ProxyHeader()),
      // A load balancer that speaks for itself.
      (second(0x11, Self.four, command: 0x20), ProxyHeader()), (second(0, [], command: 0x20), ProxyHeader()),
      (summed([2, 0, 1, 0x61]), with(.init(type: 2, bytes: "a"))),
      (
        second(0x11, Self.four + [4, 0, 2, 0, 0, 5, 0, 0, 0xE0, 0, 2, 1, 2]),
        with(.init(type: 5, bytes: ""), .init(type: 0xE0, bytes: [1, 2]))
      ),
      (
        second(0x11, Self.four + [1, 0x0F, 0xE1] + [UInt8](repeating: 9, count: 4065)),
        with(.init(type: 1, bytes: Bytes(repeating: 9, count: 4065)))
      ),
    ]
  }

  static let malformed: [[UInt8]] =
    [
      "GET / HTTP/1.1\r\n", "PROXZ", "PROXY \r\n", "PROXY TCP4\r\n", "proxy tcp4 1.1.1.1 1.1.1.1 1 1\r\n",
      "PROXY TCP4 1.1.1.1 1.1.1.1 1\r\n", "PROXY TCP4 1.1.1.1 1.1.1.1 1 1 1\r\n",
      "PROXY TCP4 1.1.1.1  1.1.1.1 1 1\r\n", "PROXY TCP4 1.1.1.1 1.1.1.1 1 65536\r\n",
      "PROXY TCP4 1.1.1.1 1.1.1.1 01 1\r\n", "PROXY TCP4 1.1.1.1 1.1.1.1 +1 1\r\n",
      "PROXY TCP4 1.1.1.1 1.1.1.1 -1 1\r\n", "PROXY TCP4 1.1.1 1.1.1.1 1 1\r\n",
      "PROXY TCP4 ::1 ::1 1 1\r\n", "PROXY TCP6 1.1.1.1 1.1.1.1 1 1\r\n", "PROXY TCP6 fe80::1%lo ::1 1 1\r\n",
      "PROXY TCP5 1.1.1.1 1.1.1.1 1 1\r\n", "PROXY UDP4 1.1.1.1 1.1.1.1 1 1\r\n",
      "PROXY TCP4 1.1.1.1 1.1.1.1 1 1\n", "PROXY TCP4 1.1.1.1 1.1.1.1 1 1\r ",
      "PROXY TCP4 localhost localhost 1 1\r\n", "PROXY TCP4 1.1.1.1\u{0} 1.1.1.1 1 1\r\n",
      "PROXY UNKNOWN " + String(repeating: "f", count: 92) + "\r\n",
      "PROXY " + String(repeating: "f", count: 102),
      "\r\n\r\n\0\r\nQUIT ", "\r\n\r\nGET /",
    ].map { Array($0.utf8) } + [
      second(0x11, four, command: 0x11), second(0x11, four, command: 0x22), second(0x12, four),
      second(0x51, four), second(0x22, six), second(0x11, Array(four.dropLast())),
      second(0x21, four), second(0x31, four), second(0x11, [], count: 4081), second(0x11, [], count: 65535),
      second(0x11, four + [1]), second(0x11, four + [1, 0]), second(0x11, four + [1, 0, 2, 0]),
      second(0x11, four + [3, 0, 3, 0, 0, 0]), second(0x11, four + [3, 0, 4, 0, 0, 0, 0]),
      summed([2, 0, 1, 0x61], wrong: 1), summed([], wrong: 0x8000_0000), summed([3, 0, 4, 0, 0, 0, 0]),
    ]
}
