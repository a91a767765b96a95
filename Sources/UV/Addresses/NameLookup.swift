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
