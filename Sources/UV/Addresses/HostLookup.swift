import CUV

/// Looks up both kinds of addresses of a host side by side, and gives them when they should be tried, as RFC
/// 8305 says: IPv6 addresses at once, IPv4 addresses at once if IPv6's are known, else a little later.
package final class HostLookup {
  private let loop: EventLoop
  private let delay: Duration
  private var found: (([SocketAddress]) -> Void)?
  private var ended: ((UVError?) -> Void)?
  private var lookups: [PendingRequest] = []
  private var missing = 0
  private var hasFound = false
  private var error: UVError?
  /// IPv4 addresses that wait for IPv6's.
  private var waiting: [SocketAddress] = []
  private var timer = PendingRequest()

  /// Creates a lookup.
  ///
  /// - Parameter delay: How long IPv4 addresses wait for IPv6 addresses.
  package init(_ loop: EventLoop, delay: Duration) {
    self.loop = loop
    self.delay = delay
  }

  /// Starts to look up. Called once.
  ///
  /// - Parameters:
  ///   - found: Called with addresses to try from now on: once or twice, or never.
  ///   - ended: Called once no more addresses come, with an error if there were none.
  package func start(
    _ host: String, port: Int, found: @escaping ([SocketAddress]) -> Void, ended: @escaping (UVError?) -> Void
  ) {
    self.found = found
    self.ended = ended
    // An address isn't looked up, and is found by the first lookup.
    let families = (try? SocketAddress(host, port: port)) == nil ? [AF_INET6, AF_INET] : [AF_UNSPEC]
    missing = families.count
    lookups = families.map { family in
      loop.dns.resolve(host, port: port, family: family) { [self] in didResolve(family, $0) }
    }
  }

  /// Ends the lookup; nothing is reported any more.
  package func cancel() {
    found = nil
    ended = nil
    timer.cancel()
    for lookup in lookups { lookup.cancel() }
    lookups = []
  }

  var awaited: Awaited? { lookups.lazy.compactMap(\.awaited).first }

  private func didResolve(_ family: Int32, _ result: Result<[SocketAddress], UVError>) {
    missing -= 1
    switch result {
    case .success(let addresses):
      if missing > 0, family == AF_INET {
        waiting = addresses
        timer = loop.sleep(for: delay) { [self] in if case .success = $0 { report([]) } }
      } else {
        report(addresses)
      }
    case .failure(let error):
      // That there is no such name is certain only if both say so.
      if self.error.map({ $0.code == .unknownHost }) ?? true { self.error = error }
      report([])
    }
    if missing == 0 { end() }
  }

  private func report(_ addresses: [SocketAddress]) {
    timer.cancel()
    let all = addresses + waiting
    waiting = []
    if all.isEmpty { return }
    hasFound = true
    found?(all)
  }

  private func end() {
    found = nil
    lookups = []
    ended.take()?(hasFound ? nil : error)
  }
}

/// A resolver that looks up names in place of the thread pool. Its functions are called on the loop's thread.
package protocol NameLookup: AnyObject {
  /// Looks up the addresses of a host.
  ///
  /// - Parameters:
  ///   - host: A name that isn't empty, has no NUL and isn't an address.
  ///   - family: `AF_INET` or `AF_INET6` for addresses of one kind alone, `AF_UNSPEC` for both.
  func addresses(
    of host: String, port: UInt16, family: Int32, _ done: @escaping Completion<[SocketAddress]>
  ) -> PendingRequest

  /// Looks up the names of an address.
  func nameInfo(
    of address: SocketAddress, _ options: NameInfoOptions, _ done: @escaping Completion<NameInfo>
  ) -> PendingRequest
}

/// The resolver that a loop uses.
package final class NameLookups {
  /// One for each loop.
  package static let all = LoopLocal { _ in NameLookups() }
  /// Nil if the loop uses the thread pool.
  package var used: (any NameLookup)?
}

/// A request that looks up a name on the thread pool.
final class LookupRequest: PoolRequest<[SocketAddress]> {
  private let host: String
  private let port: UInt16
  private let family: Int32

  /// - Parameter family: `AF_INET` or `AF_INET6` for addresses of one kind alone.
  init(
    _ loop: EventLoop, _ host: String, _ port: UInt16, _ family: Int32,
    _ done: @escaping Completion<[SocketAddress]>
  ) {
    self.host = host
    self.port = port
    self.family = family
    super.init(loop, "getaddrinfo", uv_getaddrinfo_t.self, done)
    // Sound: the loop's list of requests owns it meanwhile.
    cuv_req_set_data(request, Unmanaged.passUnretained(self).toOpaque())
  }

  private var request: UnsafeMutablePointer<uv_getaddrinfo_t> {
    raw.assumingMemoryBound(to: uv_getaddrinfo_t.self)
  }

  override var subject: String? { host }

  func start() -> PendingRequest {
    submit {
      var hints = addrinfo()
      hints.ai_family = family
      hints.ai_socktype = cuv_sock_stream()
      return uv_getaddrinfo(loop.raw, request, didResolve, host, nil, &hints)
    }
  }

  fileprivate func finish(_ code: Int32, _ first: UnsafeMutablePointer<addrinfo>?) {
    defer { if let first { uv_freeaddrinfo(first) } }
    var addresses: [SocketAddress] = []
    var entry = first
    while let current = entry {
      if let address = SocketAddress(current.pointee.ai_addr) { addresses.append(address.with(port: port)) }
      entry = current.pointee.ai_next
    }
    finish(code == 0 && addresses.isEmpty ? UVError.Code.unknownHost.rawValue : code) { addresses }
  }
}

private func didResolve(
  _ request: UnsafeMutablePointer<uv_getaddrinfo_t>?, _ code: Int32, _ first: UnsafeMutablePointer<addrinfo>?
) {
  // Sound: see `init`.
  activeRequest(of: cuv_req_data(request!), as: LookupRequest.self).finish(code, first)
}
