#if os(Linux)
import CTestHooks
import Foundation
import Testing
import UV
import UVTestSupport

/// Systems without IPv6.
@Suite(.serialized) struct FamilyTests {
  @Test("Where there is no IPv6, a listener without a host serves IPv4", arguments: [false, true])
  func withoutIPv6(hasSockets: Bool) async throws {
    await #expect(processExitsWith: .success) { [hasSockets = hasSockets as Bool] in
      guard test_without_ipv6(hasSockets ? 1 : 0) == 0 else { exit(2) }
      let group = try EventLoopGroup(count: 2)
      let isRight = try EventLoop.run { loop in
        let one = try loop.tcp.listen(port: 0)
        let shared = try loop.tcp.listen(port: 0, reusePort: true)
        let socket = try loop.udp.bind(port: 0)
        let served = try await group.serve(port: 0) { _ in }
        let addresses = [
          try one.localAddress(), try shared.localAddress(), try socket.localAddress(), served,
        ]
        let client = try await loop.tcp.connect(host: "127.0.0.1", port: Int(addresses[0].port)).value
        let server = try await one.accept().value
        // A caller that asks for IPv6 gets the error.
        let isRefused = (try? loop.tcp.listen(host: "::", port: 0)) == nil
        for stream in [client, server] { stream.close() }
        for listener in [one, shared] { listener.close() }
        socket.close()
        _ = await group.shutdownGracefully(within: .seconds(10))
        return isRefused && addresses.allSatisfy { $0.host == "0.0.0.0" && $0.port != 0 }
      }
      exit(isRight ? 0 : 1)
    }
  }
}
#endif
