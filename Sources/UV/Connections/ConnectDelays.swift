/// How long ``TCP/connect(host:port:delays:)`` waits for what may still come before it tries something else.
///
/// The values are those of RFC 8305, version 2 of what is called Happy Eyeballs.
public struct ConnectDelays: Hashable, Sendable {
  /// How long IPv4 addresses that are known wait for the IPv6 addresses of the same name. Zero or less doesn't
  /// wait.
  public var resolution: Duration
  /// How long an address has for itself before the next one is tried beside it. The RFC says 250 ms, and at
  /// least 100 ms: shorter delays load the network with connections that nobody needs. Zero or less tries all
  /// at once.
  public var attempt: Duration

  /// Creates delays: those of the RFC, unless you say otherwise.
  public init(resolution: Duration = .milliseconds(50), attempt: Duration = .milliseconds(250)) {
    self.resolution = resolution
    self.attempt = attempt
  }
}
