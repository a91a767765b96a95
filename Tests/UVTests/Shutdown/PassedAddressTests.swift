import CUV
import Foundation
import Synchronization
import Testing
import UV
import UVTestSupport

/// Which of systemd's sockets a listener without a host takes.
@Suite(.serialized) struct PassedAddressTests {
  /// A socket as a unit's `ListenStream=` and `BindIPv6Only=` have it.
  enum Kind: String, CaseIterable, Codable {
    case four, six, both

    func make(port: in_port_t) -> Int32? {
      let descriptor = socket(self == .four ? AF_INET : AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
      var isOnly: Int32 = self == .six ? 1 : 0
      var isBound: Int32
      if self == .four {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        isBound = withUnsafeBytes(of: &address) {
          bind(descriptor, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        }
      } else {
        setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &isOnly, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        isBound = withUnsafeBytes(of: &address) {
          bind(descriptor, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        }
      }
      if isBound == 0 { isBound = listen(descriptor, 5) }
      return isBound == 0 ? descriptor : nil
    }
  }

  @Test(
    "A listener for a port takes the socket that serves most clients",
    arguments: [
      ("four", "four"), ("six", "six"), ("both", "both"), ("four six", "four"), ("six four", "four"),
    ], [false, true])
  func systemd(passed: (all: String, taken: String), isGroup: Bool) async throws {
    let (all, taken) = passed
    await #expect(processExitsWith: .success) {
      [all = all as String, taken = taken as String, isGroup = isGroup as Bool] in
      let (address, port) = try PassedAddressTests.listenWithPassed(all, isGroup)
      exit(address.isIPv6 == (taken != "four") && address.port == port ? 0 : 1)
    }
  }

  /// Passes the sockets to this process, and listens on their port.
  private static func listenWithPassed(_ all: String, _ isGroup: Bool) throws -> (SocketAddress, in_port_t) {
    PassedSockets.firstDescriptor.store(200, ordering: .relaxed)
    // A port that nobody has, with which each kind can be tried.
    let kinds = all.split(separator: " ").map { Kind(rawValue: String($0))! }
    var tried: in_port_t = 20_000
    var made: [Int32] = []
    while made.count < kinds.count, tried < 21_000 {
      for descriptor in made { close(descriptor) }
      tried += 1
      made = kinds.compactMap { $0.make(port: tried) }
    }
    guard made.count == kinds.count else { exit(2) }
    for (descriptor, place) in zip(made, Int32(200)...) {
      dup2(descriptor, place)
      close(descriptor)
    }
    setenv("LISTEN_PID", "\(getpid())", 1)
    setenv("LISTEN_FDS", "\(made.count)", 1)
    let port = tried
    let address = try EventLoop.run { loop in
      if isGroup {
        let group = try EventLoopGroup(count: 3)
        let address = try await group.serve(port: Int(port)) { _ in }
        _ = await group.shutdownGracefully(within: .seconds(10))
        return address
      }
      let listener = try loop.tcp.listen(port: Int(port))
      defer { listener.close() }
      return try listener.localAddress()
    }
    return (address, port)
  }
}
