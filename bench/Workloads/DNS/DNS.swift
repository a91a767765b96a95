import BenchHarness
import UV

extension Workloads {
  /// One operation: look up `localhost`, which the hosts file has. Under way: `in-flight`. Checked: that all addresses are those of the
  /// loopback; that no request is left.
  static let dns = LoopWorkload(
    name: "dns", summary: "look up localhost in the hosts file",
    parameters: [inFlight(1, 64)],
    isSingleThreaded: false,
    check: .counted,
    rows: [(.c, CRow.loop("dns"))] + Lookup.rows)
}

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
