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
        timer = loop.sleep(for: delay) { [self] in if case .success = $0 { tell([]) } }
      } else {
        tell(addresses)
      }
    case .failure(let error):
      // That there is no such name is certain only if both say so.
      if self.error.map({ $0.code == .unknownHost }) ?? true { self.error = error }
      tell([])
    }
    if missing == 0 { end() }
  }

  private func tell(_ addresses: [SocketAddress]) {
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
