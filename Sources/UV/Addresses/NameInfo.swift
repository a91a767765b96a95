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

/// A request that looks up the names of an address.
final class NameInfoRequest: PoolRequest<NameInfo> {
  private let address: SocketAddress

  override var subject: String? { address.description }

  init(_ loop: EventLoop, _ address: SocketAddress, _ done: @escaping Completion<NameInfo>) {
    self.address = address
    super.init(loop, "getnameinfo", uv_getnameinfo_t.self, done)
    cuv_req_set_data(request, Unmanaged.passUnretained(self).toOpaque())
  }

  private var request: UnsafeMutablePointer<uv_getnameinfo_t> {
    raw.assumingMemoryBound(to: uv_getnameinfo_t.self)
  }

  func start(_ options: NameInfoOptions) -> PendingRequest {
    submit { address.withSockaddr { uv_getnameinfo(loop.raw, request, didFindName, $0, options.rawValue) } }
  }
}

private func didFindName(
  _ request: UnsafeMutablePointer<uv_getnameinfo_t>?, _ code: Int32, _ host: UnsafePointer<CChar>?,
  _ service: UnsafePointer<CChar>?
) {
  // Sound: the loop's list of requests owns it meanwhile.
  let lookup = activeRequest(of: cuv_req_data(request!), as: NameInfoRequest.self)
  lookup.finish(code) { NameInfo(host: String(cString: host!), service: String(cString: service!)) }
}
