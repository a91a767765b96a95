#if Everything
import Testing
import UVDNS
import UVTestSupport

/// Lookups on a loop that belongs to a host.
@Suite struct NamesTests {
  @Test(
    "A host's loop looks up by a resolver, and a detach answers the lookups that hang and closes their sockets"
  )
  func aHostsLoop() async throws {
    let log = Log<String>()
    try await withThread {
      let host = Host()
      var loop: EventLoop? = try EventLoop(adopting: host.loop)
      let server = try loop!.udp.bind(host: "127.0.0.1", port: 0)
      var options = DNSResolverOptions()
      (options.servers, options.timeout) = ([try server.localAddress()], .seconds(1000))
      var resolver: DNSResolver? = try DNSResolver(loop!, options: options)
      loop!.dns.use(resolver)
      // The name is in the system's file, so no server is asked.
      loop!.dns.resolve("localhost") { log.append("localhost \($0.error?.name ?? "-")") }
      while log.values.isEmpty { host.turn() }
      for name in ["one.test", "two.test"] {
        loop!.dns.resolve(name) { log.append("\(name) \($0.error?.name ?? "-")") }
      }
      host.turn()
      // The server's socket, and c-ares's.
      let handles = host.foreignHandles
      #expect(handles >= 2)
      loop!.detach { _ in log.append("detached") }
      (loop, resolver) = (nil, nil)
      host.run()
      #expect(host.foreignHandles == 0 && host.close() == 0)
    }
    #expect(log.values == ["localhost -", "two.test ECANCELED", "one.test ECANCELED", "detached"])
  }
}
#endif
