import Testing
import UV
import UVTestSupport

/// Each version, command, family and length of the binary header, beside a model of the specification's table.
@Suite struct ProxyHeaderFormTests {
  private static let start = Array("\r\n\r\n\0\r\nQUIT\n".utf8)

  /// A header whose block has addresses, whatever the family, and padding.
  private static func header(_ command: UInt8, _ family: UInt8, count: Int) -> [UInt8] {
    let length = addressCount(family) ?? 0
    var block = (0..<min(count, length)).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) }
    let rest = count - block.count
    if rest >= 3 {
      block += [4, UInt8((rest - 3) >> 8), UInt8((rest - 3) & 255)] + [UInt8](repeating: 0, count: rest - 3)
    } else {
      block += [UInt8](repeating: 4, count: rest)
    }
    return start + [command, family, UInt8(count >> 8), UInt8(count & 255)] + block
  }

  /// How many bytes the addresses of a family take on a stream; nil if it is none of a stream.
  private static func addressCount(_ family: UInt8) -> Int? {
    [0x00: 0, 0x11: 12, 0x21: 36, 0x31: 216][family]
  }

  /// What a whole header is.
  private enum Form { case refused, addresses(Bool) }

  private static func form(_ command: UInt8, _ family: UInt8, count: Int) -> Form {
    if command >> 4 != 2 || command & 15 > 1 || count + 16 > 4096 { return .refused }
    // LOCAL: the receiver discards the block, the family included.
    if command & 15 == 0 { return .addresses(false) }
    guard let length = addressCount(family), count >= length else { return .refused }
    let rest = count - length
    return rest == 1 || rest == 2 ? .refused : .addresses(length == 12 || length == 36)
  }

  private func expectForm(_ command: UInt8, _ family: UInt8, count: Int) {
    let bytes = Self.header(command, family, count: count)
    let found = Result { try ProxyHeader.parse(Bytes(bytes + Array("hello".utf8)).span) }
    switch (Self.form(command, family, count: count), found) {
    case (.refused, .failure): break
    case (.addresses(let hasAddresses), .success(let (header, length)?)):
      #expect(length == bytes.count, "\(command) \(family) \(count)")
      #expect((header.source != nil) == hasAddresses && (header.destination != nil) == hasAddresses)
      #expect(header.fields.isEmpty)
      if hasAddresses, family == 0x11 {
        #expect(header.source?.description == "1.8.15.22:\(57 << 8 | 64)")
        #expect(header.destination?.description == "29.36.43.50:\(71 << 8 | 78)")
      }
    default: Issue.record("command \(command), family \(family), \(count) bytes: \(found)")
    }
  }

  @Test("Each command and each family is known, discarded or refused") func bytes() {
    for byte in 0...UInt8.max {
      for count in [0, 12, 15, 36, 216] {
        expectForm(byte, 0x11, count: count)
        for command in [0x20, 0x21] as [UInt8] { expectForm(command, byte, count: count) }
      }
    }
  }

  @Test(
    "Each length has room for the addresses, or hasn't",
    arguments: [0x00, 0x11, 0x21, 0x31, 0x12, 0x7F] as [UInt8])
  func lengths(family: UInt8) {
    for count in Array(0...260) + [4079, 4080, 4081, 65535] {
      for command in [0x20, 0x21, 0x22, 0x11] as [UInt8] { expectForm(command, family, count: count) }
    }
  }

  @Test(
    "A load balancer that speaks for itself is taken, whatever it says of addresses",
    arguments: [0x00, 0x11, 0x12, 0x22, 0x31, 0x32, 0xFF] as [UInt8])
  func local(family: UInt8) async throws {
    try await withLoop { loop in
      for isBound in [false, true] {
        let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
        let address = try listener.localAddress()
        let client = try await loop.tcp.connect(to: address).value
        let bytes = Self.header(0x20, family, count: 12)
        try await client.write([Bytes(bytes), "hello"]).value
        let server: TCPConnection
        if isBound {
          let source = try listener.proxyProtocol(from: ["127.0.0.1"])
          server = try #require(try await source.next().value)
          source.close()
        } else {
          server = try await listener.accept().value
          let header = try await server.readProxyHeader().value
          #expect(header == ProxyHeader())
          listener.close()
        }
        #expect(server.proxyHeader == ProxyHeader())
        #expect(try await server.read(exactly: 5).value == "hello")
        client.close()
        server.close()
      }
    }
  }
}
