import BenchHarness
import UV

/// `dns`: the addresses of localhost, which the hosts file has.
enum Lookup {
  static let rows = RequestRows<Request<UInt64>> { _, loop in
    let loopback = [try SocketAddress("127.0.0.1", port: 0), try SocketAddress("::1", port: 0)]
    return loop.dns.resolve("localhost").map { $0.allSatisfy(loopback.contains) ? 1 : 0 }
  } request: { lookup, _ in
    lookup
  } end: { lookup in
    if lookup.loop.statistics.requests != 0 { throw WrongWork("a request is left") }
  }.all
}
