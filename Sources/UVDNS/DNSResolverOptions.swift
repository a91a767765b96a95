import CAres

/// The settings of a ``DNSResolver`` that differ from the system's. A value that is nil leaves the setting to
/// `/etc/resolv.conf`, the environment variables `RES_OPTIONS` and `LOCALDOMAIN`, and c-ares.
public struct DNSResolverOptions: Hashable, Sendable {
  /// The name servers, in the order in which they are tried. A port of 0 means 53. By default those of
  /// `/etc/resolv.conf`.
  ///
  /// The corresponding function of c-ares is `ares_set_servers_ports_csv`.
  public var servers: [SocketAddress]?

  /// How long the first try waits for an answer, 1 ms or more. Once all servers have been tried, each further
  /// round waits longer. c-ares has 5 seconds, from its version 1.20 on 2.
  ///
  /// The corresponding option of c-ares is `ARES_OPT_TIMEOUTMS`.
  public var timeout: Duration?

  /// How often each server is tried, 1 or more. c-ares has 4 tries, from its version 1.20 on 3.
  ///
  /// The corresponding option of c-ares is `ARES_OPT_TRIES`.
  public var tries: Int?

  /// The domains in which names are looked for that aren't complete; empty for none.
  ///
  /// The corresponding option of c-ares is `ARES_OPT_DOMAINS`.
  public var searchDomains: [String]?

  /// How many dots a name has at least that is tried as it is first, and in the search domains afterwards.
  ///
  /// The corresponding option of c-ares is `ARES_OPT_NDOTS`.
  public var dots: Int?

  /// Whether servers are asked by TCP alone. Otherwise an answer that has no room in a datagram is asked for by
  /// TCP again.
  ///
  /// The corresponding flag of c-ares is `ARES_FLAG_USEVC`.
  public var usesTCP = false

  /// The file with the system's settings, in place of `/etc/resolv.conf`. The resolver looks at most once
  /// a second whether the file has changed, and takes over what it says.
  ///
  /// The corresponding option of c-ares is `ARES_OPT_RESOLVCONF`.
  public var configuration: FilePath?

  /// Creates options that leave everything to the system.
  public init() {}

  /// Throws if a value is out of range.
  func check() throws(UVError) {
    func refuse(_ subject: String) -> UVError {
      UVError(.invalidArgument, operation: "resolver", subject: subject)
    }
    if let timeout, timeout < .milliseconds(1) || timeout > .seconds(86400) {
      throw refuse("timeout \(timeout) (1 ms to a day)")
    }
    if let tries, !(1...100 ~= tries) { throw refuse("tries \(tries) (1...100)") }
    if let dots, !(0...15 ~= dots) { throw refuse("dots \(dots) (0...15)") }
    if let servers, servers.isEmpty { throw refuse("no server") }
    if configuration?.isEmpty == true { throw refuse("an empty path") }
    for domain in searchDomains ?? []
    where domain.utf8.contains(where: { $0 <= 32 || $0 >= 127 }) || domain.isEmpty {
      throw refuse("search domain \(domain)")
    }
  }

  /// Calls `body` with the options as C has them.
  func withSettings<T>(_ body: (UnsafePointer<cares_settings>) -> T) -> T {
    let servers = servers.map { $0.map { "\($0.port == 0 ? $0.with(port: 53) : $0)" }.joined(separator: ",") }
    return withPointer(servers) { servers in
      withPointer(searchDomains?.joined(separator: " ")) { domains in
        withPointer(configuration) { configuration in
          var settings = cares_settings(
            timeout: timeout.map { Int32(clamping: $0.milliseconds) } ?? -1, tries: Int32(tries ?? -1),
            dots: Int32(dots ?? -1), uses_tcp: usesTCP, servers: servers, domains: domains,
            configuration: configuration)
          return body(&settings)
        }
      }
    }
  }
}

private func withPointer<T>(_ text: (some PathConvertible)?, _ body: (UnsafePointer<CChar>?) -> T) -> T {
  if let text { text.withPathBytes(body) } else { body(nil) }
}
