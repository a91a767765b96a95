extension EventLoop {
  /// The loop's resolver with the system's settings, by c-ares: made when it is first asked for.
  ///
  /// The corresponding function of c-ares is `ares_init_options`.
  public var resolver: DNSResolver { Resolvers.all[self] }
}

private enum Resolvers {
  static let all = LoopLocal { loop in DNSResolver(loop, DNSResolverOptions()) }
}

extension DNS {
  /// Has the loop look up all names by a resolver from now on, in place of the thread pool: `resolve`, `nameInfo`,
  /// and the `connect(host:port:)` of TCP, `UVTLS`, `UVHTTP` and `UVNIO`. Lookups that are under way go on as they
  /// are.
  ///
  /// ```swift
  /// EventLoop.run { loop in
  ///   loop.dns.use(loop.resolver)
  ///   print(try await loop.dns.resolve("localhost", port: 80).value)
  /// }
  /// ```
  ///
  /// Call it on the loop's thread, once for each loop that is to have it. The errors have the same codes as those
  /// of the thread pool.
  ///
  /// - Parameter resolver: A resolver of this loop; nil for the thread pool.
  ///
  /// The corresponding function of c-ares is `ares_getaddrinfo`.
  public func use(_ resolver: DNSResolver?) {
    if let resolver { require(resolver.loop === loop, "a loop uses the resolver of another loop") }
    NameLookups.all[loop].used = resolver
  }
}
