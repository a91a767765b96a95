import Testing
import UV
import UVTestSupport

@Suite struct BytesTests {
  @Test func aSliceSharesItsMemory() {
    let all = Bytes(Array(0..<100))
    let part = Bytes(all[10..<20])
    #expect(Array(part) == Array(10..<20))
    #expect(part.startIndex == 0)
    let same = all.withUnsafeBytes { all in
      part.withUnsafeBytes { $0.baseAddress! == all.baseAddress! + 10 }
    }
    #expect(same)
    #expect(part.copy() == part)
    let copied = part.withUnsafeBytes { part in
      all[10..<20].withContiguousStorageIfAvailable { $0.count == part.count }
    }
    #expect(copied == true)
  }

  @Test func comparesByItsBytes() {
    #expect(Bytes("abc") == [0x61, 0x62, 0x63])
    #expect(Bytes("abc") != Bytes("abd"))
    #expect(Bytes("abc") != Bytes("ab"))
    #expect(Bytes() == "")
    #expect(Set([Bytes("a"), Bytes("a"), Bytes("b")]).count == 2)
    #expect(Bytes(repeating: 7, count: 3) == [7, 7, 7])
  }

  @Test func `Equal bytes have one hash wherever they begin, and bytes that others begin with have another`()
  {
    let all = Bytes(repeating: 0, count: 64)
    let hashes = (0...24).map { count in
      let slices = (0..<8).map { Bytes(all[$0..<$0 + count]).hashValue }
      #expect(Set(slices) == [Bytes(all.prefix(count)).copy().hashValue])
      return slices[0]
    }
    #expect(Set(hashes).count == hashes.count)
    // Each byte of a word counts, and each of those that are left.
    let keys = (0..<20).map { changed in Bytes((0..<20).map { UInt8($0 == changed ? 1 : 0) }) }
    #expect(Set(keys.map(\.hashValue)).count == keys.count)
  }

  @Test func `The checksum is CRC-32C, in the values of RFC 3720`() {
    #expect(Bytes().crc32c == 0)
    #expect(Bytes("123456789").crc32c == 0xE306_9283)
    #expect(Bytes(repeating: 0, count: 32).crc32c == 0x8A91_36AA)
    #expect(Bytes(repeating: 0xFF, count: 32).crc32c == 0x62A8_AB43)
    #expect(Bytes(Array(0..<32)).crc32c == 0x46DD_794E)
    #expect(Bytes((0..<32).reversed()).crc32c == 0x113F_DB5C)
  }

  @Test func describesItselfAsText() {
    #expect("\(Bytes("grüß"))" == "grüß")
    #expect("\(Bytes([0xff, 0xfe]))" == "2 bytes")
  }
}

@Suite struct SocketAddressTests {
  @Test(arguments: [
    ("127.0.0.1", 80, "127.0.0.1:80", false), ("0.0.0.0", 0, "0.0.0.0:0", false),
    ("::1", 65535, "[::1]:65535", true), ("2001:db8::ff00:42:8329", 1, "[2001:db8::ff00:42:8329]:1", true),
  ])
  func aLiteralAndBack(host: String, port: Int, text: String, isIPv6: Bool) throws {
    let address = try SocketAddress(host, port: port)
    #expect(address.description == text)
    #expect(address.host == host)
    #expect(Int(address.port) == port)
    #expect(address.isIPv6 == isIPv6)
    #expect(try SocketAddress(address.host, port: port) == address)
  }

  @Test(arguments: ["", "localhost", "1.2.3", "256.1.1.1", "::g", "127.0.0.1\0x", "[::1]"])
  func notALiteral(host: String) {
    #expect(throws: UVError.self) { try SocketAddress(host, port: 1) }
  }

  @Test func aConnectionKnowsBothItsEnds() async throws {
    try await withPair { loop, client, server in
      #expect(try client.peerAddress() == server.localAddress())
      #expect(try server.peerAddress() == client.localAddress())
      try client.setNoDelay()
      try client.setKeepAlive(.seconds(60))
      try client.setKeepAlive(nil)
      #expect(throws: UVError.self) { try client.setKeepAlive(.milliseconds(1)) }
    }
  }

  @Test func overIPv6() async throws {
    try await withLoop { loop in
      guard let listener = try? loop.tcp.listen(host: "::1", port: 0) else { return }
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      let server = try await listener.accept().value
      #expect(try server.peerAddress() == client.localAddress())
      listener.close()
    }
  }

  @Test func theInterfaceOfALinkLocalAddressIsKept() throws {
    // There is no machine without the loopback interface.
    #if os(Linux)
    let name = "lo"
    #else
    let name = "lo0"
    #endif
    let address = try SocketAddress("fe80::1%\(name)", port: 1)
    #expect(address.host == "fe80::1%\(name)")
    #expect(try SocketAddress(address.host, port: 1) == address)
  }
}

@Suite struct UVErrorTests {
  @Test func saysWhatWasDoneToWhat() {
    let error = UVError(.connectionRefused, operation: "connect", subject: "127.0.0.1:1")
    #expect("\(error)" == "connect 127.0.0.1:1: connection refused (ECONNREFUSED)")
    #expect("\(UVError(.endOfFile, operation: "read"))" == "read: end of file (EOF)")
    #expect(error == UVError(.connectionRefused, operation: "connect", subject: "127.0.0.1:1"))
    #expect(error != UVError(.connectionRefused, operation: "connect"))
  }
}
