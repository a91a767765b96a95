import CUV

/// The names of an address; see ``DNS/nameInfo(of:options:)``.
public struct NameInfo: Hashable, Sendable {
  /// The host's name, or its address as text if it has no name.
  public var host: String
  /// The name of the service that uses the port by custom, such as `"http"`, or the port as text if there is
  /// none.
  public var service: String

  /// Creates a value.
  package init(host: String, service: String) {
    self.host = host
    self.service = service
  }
}

/// Options for looking up the names of an address.
public struct NameInfoOptions: OptionSet, Hashable, Sendable {
  /// The bits of the set, as the system defines them.
  public let rawValue: Int32
  /// Creates a set from the system's bits.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// Returns the address as text, without looking up a name.
  public static let numericHost = NameInfoOptions(rawValue: Int32(NI_NUMERICHOST))
  /// Returns the port as text.
  public static let numericService = NameInfoOptions(rawValue: Int32(NI_NUMERICSERV))
  /// Fails with `unknownHost` if the host has no name.
  public static let nameRequired = NameInfoOptions(rawValue: Int32(NI_NAMEREQD))
  /// Returns the name of the UDP service, if it differs from that of the TCP service.
  public static let datagram = NameInfoOptions(rawValue: Int32(NI_DGRAM))
}
