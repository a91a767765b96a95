import CUV

/// The names of an address; see ``DNS/nameInfo(of:options:)``.
public struct NameInfo: Hashable, Sendable {
  /// The host's name, or its address as text where it has none.
  public var host: String
  /// The name of the service that uses the port by custom, such as `"http"`, or the port as text.
  public var service: String

  /// Names; for test doubles.
  public init(host: String, service: String) {
    self.host = host
    self.service = service
  }
}

/// How an address is to be named.
public struct NameInfoOptions: OptionSet, Hashable, Sendable {
  /// The system's value.
  public let rawValue: Int32
  /// A set from the system's value.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// The address as text; nobody is asked for a name.
  public static let numericHost = NameInfoOptions(rawValue: Int32(NI_NUMERICHOST))
  /// The port as text.
  public static let numericService = NameInfoOptions(rawValue: Int32(NI_NUMERICSERV))
  /// Fails with `unknownHost` where the host has no name.
  public static let nameRequired = NameInfoOptions(rawValue: Int32(NI_NAMEREQD))
  /// The service by its name for UDP, where that differs from TCP's.
  public static let datagram = NameInfoOptions(rawValue: Int32(NI_DGRAM))
}
