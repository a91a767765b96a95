import CUV
import Foundation
import Testing
import UV

/// Addresses in the forms that they have elsewhere: the system's, and text.
@Suite struct AddressFormTests {
  private static var hosts: [String] {
    var hosts = [
      "0.0.0.0", "127.0.0.1", "1.2.3.4", "255.255.255.255", "::", "::1", "2001:db8::ff00:42:8329", "ff02::1",
      "1:2:3:4:5:6:7:8", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "fe80::1",
    ]
    // Interfaces that there are, and one that there isn't.
    hosts += ["fe80::1%lo", "ff02::fb%lo", "fe80::abcd%nowhere"]
    return hosts
  }

  @Test(arguments: hosts, [0, 1, 80, 65535])
  func `An address comes back from the system's form as it went there, port, interface and all`(
    host: String, port: Int
  ) throws {
    let address = try SocketAddress(host, port: port)
    let copy = try #require(address.withSockaddr { SocketAddress($0) })
    #expect(copy == address)
    #expect(copy.host == address.host && copy.port == UInt16(port))
    address.withSockaddr { pointer in
      let zone = host.split(separator: "%").dropFirst().first
      let scope = zone.map { if_nametoindex(String($0)) } ?? 0
      guard address.isIPv6 else { return #expect(Int32(pointer.pointee.sa_family) == AF_INET) }
      let system = UnsafeRawPointer(pointer).loadUnaligned(as: sockaddr_in6.self)
      #expect(Int32(system.sin6_family) == AF_INET6 && system.sin6_scope_id == scope)
      #expect(UInt16(bigEndian: system.sin6_port) == UInt16(port) && system.sin6_flowinfo == 0)
    }
  }

  @Test(
    "A host and a port are read as they are written",
    arguments: [
      ("example.com:443", "example.com", 443), ("10.0.0.1:80", "10.0.0.1", 80), ("[::1]:8080", "::1", 8080),
      ("[fe80::1%eth0]:1", "fe80::1%eth0", 1), ("a:65535", "a", 65535), ("a:001", "a", 1),
    ])
  func hostPort(text: String, host: String, port: Int) throws {
    let read = try #require(HostPort(text))
    #expect(read.host == host && read.port == port)
    #expect(HostPort(read.description) == read)
  }

  @Test(
    "What is no host and port is nil",
    arguments: [
      "", ":", "a", "a:", ":80", "a:0", "a:65536", "a:-1", "a:+1", "a: 1", "a:1 ", "a:1x", "a:٣", "::1:80",
      "[::1:80", "::1]:80", "[:::80", "[a]:80", "[]:80", "[[::1]]:80", "x[::1]:80", "[::1]x:80", "[::1]",
      "a b:1",
      "a/b:1", "u@a:1", "[::1:80]", "[a:80", "a]:80", "[:80", "]:80", "[:1]:", "[1:2:80", "1:2]:80",
    ])
  func noHostPort(text: String) { #expect(HostPort(text) == nil) }
}
