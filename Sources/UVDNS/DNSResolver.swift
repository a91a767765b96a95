import CAres

/// Looks up names on the loop itself, by c-ares: on sockets that the loop watches and with the loop's timers. No
/// thread of the pool is needed, so a name server that doesn't answer holds nothing else up.
///
/// ```swift
/// EventLoop.main { loop in
///   for answer in try await loop.resolver.query("example.org", .mx).value {
///     print(answer.value.preference, answer.value.exchange, answer.timeToLive)
///   }
///   loop.dns.use(loop.resolver)
///   let connection = try await loop.tcp.connect(host: "example.org", port: 80).value
///   connection.close()
/// }
/// ```
///
/// ``UV/EventLoop/resolver`` has the system's settings. Make others for servers of your own:
///
/// ```swift
/// var options = DNSResolverOptions()
/// options.servers = [try SocketAddress("127.0.0.1", port: 5353)]
/// let resolver = try DNSResolver(loop, options: options)
/// print(try await resolver.dns.resolve("db.internal", port: 5432).value)
/// ```
///
/// It belongs to its loop's thread, as all that is made from a loop does.
///
/// The corresponding type of c-ares is `ares_channel`.
public final class DNSResolver {
  /// The loop that it looks up on.
  public let loop: EventLoop
  /// The settings that differ from the system's.
  public let options: DNSResolverOptions

  /// Nil until something is asked.
  private var channel: Channel?
  private var configuration: UInt64 = 0
  private var checked: LoopClock.Instant?

  /// Makes a resolver. It has no socket until something is asked.
  ///
  /// - Parameters:
  ///   - loop: The loop that it looks up on.
  ///   - options: The settings that differ from the system's.
  /// - Throws: `invalidArgument` if an option is out of range.
  ///
  /// The corresponding function of c-ares is `ares_init_options`.
  public convenience init(_ loop: EventLoop, options: DNSResolverOptions) throws(UVError) {
    try options.check()
    self.init(loop, options)
  }

  init(_ loop: EventLoop, _ options: DNSResolverOptions) {
    self.loop = loop
    self.options = options
  }

  /// Name resolution by this resolver, with the functions that `loop.dns` has.
  ///
  /// The corresponding functions of c-ares are `ares_getaddrinfo` and `ares_getnameinfo`.
  public var dns: DNS { DNS(loop, by: self) }

  /// The records of a name.
  ///
  /// - Parameters:
  ///   - name: The name, such as `"example.org"`, or `"_imap._tcp.example.org"` for ``RecordType/srv``. A name of
  ///     other letters than ASCII's is encoded, as in `"xn--…"`.
  ///   - type: The kind of records, such as ``RecordType/mx``.
  ///   - searches: Whether a name that isn't complete is looked for in the search domains.
  /// - Returns: A request for the records, at least one, in the server's order. It fails with `unknownHost` if there
  ///   is no such name or if it has no such records; with `nameServerFailure` if no server has answered in time,
  ///   or if none could; with `invalidArgument` for a name that is empty or has a NUL. The message is c-ares's.
  ///
  /// The corresponding functions of c-ares are `ares_query` and `ares_search`.
  public func query<Value>(_ name: String, _ type: RecordType<Value>, searches: Bool = false)
    -> Request<[DNSAnswer<Value>]>
  {
    Request(of: loop) { [self] in query(name, type, searches: searches, $0) }
  }

  /// The records of a name; see ``query(_:_:searches:)``.
  ///
  /// The corresponding functions of c-ares are `ares_query` and `ares_search`.
  @discardableResult
  public func query<Value>(
    _ name: String, _ type: RecordType<Value>, searches: Bool = false,
    _ done: @escaping Completion<[DNSAnswer<Value>]>
  ) -> PendingRequest {
    ask(OutsideRequest(loop, "query", subject: "\(name) \(type)", done)) { () throws(AresError) in
      let name = try HostName.encoded(name)
      return .records(name, type.number, searches: searches)
    } read: { outcome throws(AresError) in
      guard case .message(let bytes) = outcome else { throw AresError.malformed }
      return try type.answers(in: bytes)
    }
  }

  /// Asks c-ares on behalf of a request.
  private func ask<Value>(
    _ request: OutsideRequest<Value>, _ question: () throws(AresError) -> Channel.Question,
    read: @escaping (Channel.Outcome) throws(AresError) -> Value
  ) -> PendingRequest {
    var query: Channel.Query?
    guard request.begin(onCancel: { query.take()?.forget() }) else { return PendingRequest() }
    func fail(_ error: AresError) {
      request.finish(.failure(error.uvError(request.operation, request.subject)))
    }
    do throws(AresError) {
      let channel = try currentChannel()
      query = channel.ask(try question()) { outcome in
        query = nil
        do throws(AresError) {
          if case .failure(let error) = outcome { throw error }
          request.finish(.success(try read(outcome)))
        } catch { fail(error) }
      }
    } catch {
      loop.queueMicrotask { fail(error) }
    }
    return request.pending
  }

  /// The channel. A new one is made if the system's file of settings has changed.
  private func currentChannel() throws(AresError) -> Channel {
    if let channel, let checked, checked.duration(to: loop.now) < .seconds(1) { return channel }
    checked = loop.now
    let path = options.configuration ?? "/etc/resolv.conf"
    let version = path.withPlatformString { cares_file_version($0) }
    if let channel, version == configuration { return channel }
    // The questions of the one before keep it until they have their answers.
    let new = try Channel(loop, options)
    channel = new
    configuration = version
    return new
  }
}

extension DNSResolver: NameLookup {
  package func addresses(
    of host: String, port: UInt16, family: Int32, _ done: @escaping Completion<[SocketAddress]>
  ) -> PendingRequest {
    ask(OutsideRequest(loop, "getaddrinfo", subject: host, done)) { () throws(AresError) in
      .addresses(try HostName.encoded(host), family)
    } read: { outcome throws(AresError) in
      guard case .addresses(let addresses) = outcome, !addresses.isEmpty else {
        throw AresError.noData
      }
      return addresses.map { $0.with(port: port) }
    }
  }

  package func nameInfo(
    of address: SocketAddress, _ options: NameInfoOptions, _ done: @escaping Completion<NameInfo>
  ) -> PendingRequest {
    ask(OutsideRequest(loop, "getnameinfo", subject: "\(address)", done)) { () in
      .names(address, options)
    } read: { outcome throws(AresError) in
      guard case .names(let names) = outcome else { throw AresError.noData }
      return names
    }
  }
}

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
