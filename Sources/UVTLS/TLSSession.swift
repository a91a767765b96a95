import COpenSSL

/// OpenSSL's side of one connection: the filter that the stream's bytes pass through.
///
/// The loop's thread uses it, or, during a handshake on the thread pool, the one thread that does the
/// handshake.
final class TLSSession: StreamFilter {
  /// The outcome of a step of a handshake.
  enum Step {
    case done
    /// The peer has to send more.
    case waits
    /// The program has to choose an identity.
    case needsIdentity
    case failed
  }

  /// The most that a peer may send without a byte for readers. Only a peer that wants to keep the loop busy
  /// sends more.
  private static let mostWithoutBytes = 262_144
  /// The same for a peer that doesn't read the answers, while this many bytes of them wait.
  private static let mostUnread = 65_536

  let context: TLSContext
  let ssl: OpaquePointer
  private let wire: UnsafeMutablePointer<ctls_wire>
  /// Where a client's sessions are kept; nil to keep none.
  private let cacheKey: SessionCache.Key?
  /// The handshake that is under way.
  @exclusivity(unchecked) var handshake: TLSHandshake?
  @exclusivity(unchecked) private var isReady = false
  /// Whether OpenSSL forbids another call.
  @exclusivity(unchecked) private var hasFailed = false
  @exclusivity(unchecked) private var hasEnded = false
  @exclusivity(unchecked) private var countWithoutBytes = 0
  /// Whether a thread of the pool has this. The loop's thread then leaves OpenSSL and the transport alone.
  @exclusivity(unchecked) var isOnPool = false
  /// Where the next bytes come to.
  @exclusivity(unchecked) private var ciphertext: CiphertextBuffer?
  /// The thread that this memory belongs to. A loop may be run by one thread after another.
  @exclusivity(unchecked) private var thread: UInt = 0
  /// How reading ends after the bytes that have been read already.
  @exclusivity(unchecked) private var outcome: FilteredRead?
  /// Whether the first records are small; nil if all are as large as can be.
  @exclusivity(unchecked) private var smallRecords: SmallRecords?
  /// The session that a client wants to resume. It is only compared.
  private var offered: OpaquePointer?
  /// The wishes of a server's client, until the handshake is done.
  private var greeting: Greeting?
  /// The host that a server's client has named.
  private var askedName: String?

  /// - Parameters:
  ///   - host: The host that a client verifies.
  ///   - port: The host's port, if there is one.
  init(_ context: TLSContext, host: TLSHost?, port: Int?) throws(UVError) {
    self.context = context
    cacheKey = context.isServer ? nil : host.map { SessionCache.Key(host: $0.text, port: port) }
    if context.options.smallFirstRecords { smallRecords = SmallRecords() }
    OpenSSLError.clear()
    guard let ssl = SSL_new(context.raw) else { throw OpenSSLError.take("secure") }
    self.ssl = ssl
    wire = .allocate(capacity: 1)
    wire.initialize(to: ctls_wire())
    // From here on `deinit` frees all of it. Sound: the transport outlives OpenSSL's connection, and this
    // owns both.
    guard let method = transport, ctls_set_wire(ssl, method, wire) else {
      throw UVError(.outOfMemory, operation: "secure")
    }
    ctls_set_owner(ssl, Unmanaged.passUnretained(self).toOpaque())
    if context.isServer { SSL_set_accept_state(ssl) } else { try becomeClient(host) }
  }

  deinit {
    SSL_free(ssl)
    ctls_wire_free(wire)
    wire.deallocate()
  }

  // MARK: Setting it up

  private func becomeClient(_ host: TLSHost?) throws(UVError) {
    SSL_set_connect_state(ssl)
    guard let host else { return }
    let isSet: Bool
    if host.isAddress {
      isSet = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.text) == 1
    } else {
      // The common name is for people to read; names that count are among the alternative ones (RFC 9525).
      let flags = X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT
      SSL_set_hostflags(ssl, UInt32(flags))
      isSet = SSL_set1_host(ssl, host.text) == 1 && ctls_set_server_name(ssl, host.text)
    }
    guard isSet else { throw UVError(.invalidArgument, operation: "secure", subject: host.text) }
    guard let cacheKey, let session = context.sessions.take(for: cacheKey) else { return }
    SSL_set_session(ssl, session)
    offered = session
    SSL_SESSION_free(session)
  }

  /// Takes over a session for the next connection to the same host; false if it isn't wanted.
  func keep(_ session: OpaquePointer) -> Bool {
    guard let cacheKey else { return false }
    context.sessions.insert(session, for: cacheKey)
    return true
  }

  // MARK: The handshake

  /// Goes on with the handshake as far as what has come allows.
  func step() -> Step {
    OpenSSLError.clear()
    let result = SSL_do_handshake(ssl)
    if result == 1 { return .done }
    switch SSL_get_error(ssl, result) {
    case SSL_ERROR_WANT_READ: return .waits
    case SSL_ERROR_WANT_CLIENT_HELLO_CB: return .needsIdentity
    default:
      hasFailed = true
      return .failed
    }
  }

  /// Whether something has come that OpenSSL hasn't read.
  var hasInput: Bool { wire.pointee.in_count > 0 }

  /// The handshake is done.
  func becomeReady() {
    assert(!isReady && !isOnPool, "a handshake ends once, on its loop")
    isReady = true
    handshake = nil
    greeting = nil
    if offered != nil { keepRenewed() }
  }

  /// Keeps what a server of TLS 1.2 has sent in place of the session that was resumed. OpenSSL reports the
  /// first one only.
  private func keepRenewed() {
    guard SSL_version(ssl) <= TLS1_2_VERSION, SSL_session_reused(ssl) == 1, SSL_get_session(ssl) != offered,
      let session = SSL_get1_session(ssl)
    else { return }
    if !keep(session) { SSL_SESSION_free(session) }
  }

  /// Uses the identity that the program has chosen. The next step goes on with it.
  func use(_ identity: TLSIdentity) { greeting?.identity = identity }

  /// Sends the client that there is no identity for it.
  func refuse() {
    greeting?.isRefused = true
    _ = step()
  }

  var isRefused: Bool { greeting?.isRefused == true }

  /// Called by OpenSSL with a client's first message, before it looks for the session that the client wants
  /// to resume. A server may ask for that message once more.
  func greet(_ name: String?) -> Int32 {
    let greeting = greeting ?? Greeting(name)
    self.greeting = greeting
    askedName = greeting.serverName
    return greeting.answer(name, for: self)
  }

  /// Whether all of a client's first message has come, and the handshake isn't done.
  var isGreeted: Bool { greeting != nil }

  /// The name that the client asks for, or has asked for. OpenSSL has none for a server of TLS 1.2 that has
  /// resumed a session.
  var serverName: String? {
    if context.isServer { return askedName }
    return SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) }
  }

  // MARK: Reading

  func reserve() -> UnsafeMutableRawBufferPointer {
    let current = ctls_thread()
    if ciphertext == nil || thread != current {
      ciphertext = .current
      thread = current
    }
    return ciphertext!.memory
  }

  // Sound: libuv reads right after it has asked for memory, on the same thread.
  func received(_ count: Int) {
    assert(thread == ctls_thread(), "the bytes are in another thread's memory")
    receive(UnsafeRawBufferPointer(rebasing: ciphertext!.memory[..<count]))
  }

  /// Takes bytes that stay where they are until ``endReceiving()``.
  func receive(_ bytes: UnsafeRawBufferPointer) {
    countWithoutBytes += bytes.count
    if !ctls_wire_receive(wire, bytes.baseAddress, bytes.count) { outcome = .failed(Self.noMemory) }
  }

  func advance() -> Bool {
    if let handshake { handshake.goOn() }
    return isReady
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> FilteredRead {
    assert(!isOnPool, "a thread of the pool has the session")
    var total = 0
    while outcome == nil, total < buffer.count {
      // The call would say that it needs more. OpenSSL fills the buffer if it can, so that nothing is pending
      // after a call.
      if wire.pointee.in_count == 0, total > 0 || SSL_pending(ssl) == 0 { break }
      var count = 0
      OpenSSLError.clear()
      if SSL_read_ex(ssl, buffer.baseAddress! + total, buffer.count - total, &count) == 1 {
        total += count
        countWithoutBytes = 0
      } else if let end = endOfRead() {
        outcome = end
      } else {
        break
      }
    }
    if total > 0 { return .bytes(total, isAll: total < buffer.count && outcome == nil) }
    if let outcome { return outcome }
    let most = wire.pointee.out_count > Self.mostUnread ? Self.mostUnread : Self.mostWithoutBytes
    if countWithoutBytes > most { return .failed(tooMuch(most)) }
    return .wait
  }

  /// Why OpenSSL has nothing to read; nil if more has to come.
  private func endOfRead() -> FilteredRead? {
    switch SSL_get_error(ssl, 0) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return nil
    case SSL_ERROR_ZERO_RETURN:
      hasEnded = true
      return .end
    default:
      hasFailed = true
      return .failed(OpenSSLError.take("read", of: ssl))
    }
  }

  private func tooMuch(_ most: Int) -> UVError {
    hasFailed = true
    return UVError(
      .tls, operation: "read",
      message: "the peer sends more than \(most) bytes that carry nothing")
  }

  func endReceiving() {
    if !isOnPool, !ctls_wire_keep(wire) { outcome = .failed(Self.noMemory) }
  }

  func transportEnded(_ error: UVError?) -> UVError? {
    if hasEnded { return nil }
    let error = error ?? UVError(.tlsTruncated, operation: "read")
    handshake?.transportEnded(error)
    return error
  }

  func serviceEnds() { handshake?.hurry() }

  private static var noMemory: UVError { UVError(.outOfMemory, operation: "read") }

  // MARK: Writing

  func seal(_ bytes: UnsafeRawBufferPointer) -> UVError? {
    assert(!isOnPool, "a thread of the pool has the session")
    if hasFailed { return UVError(.tls, operation: "write") }
    if smallRecords != nil { return sealInSmallRecords(bytes) }
    return encrypt(bytes)
  }

  private func sealInSmallRecords(_ bytes: UnsafeRawBufferPointer) -> UVError? {
    smallRecords?.begin(at: .now)
    var rest = bytes[...]
    while !rest.isEmpty, let count = smallRecords?.next(of: rest.count) {
      if let error = encrypt(UnsafeRawBufferPointer(rebasing: rest.prefix(count))) { return error }
      rest = rest.dropFirst(count)
    }
    return nil
  }

  private func encrypt(_ bytes: UnsafeRawBufferPointer) -> UVError? {
    var count = 0
    // All of it is written, because the transport takes all. So nothing is asked of the queue of errors,
    // which is empty.
    if SSL_write_ex(ssl, bytes.baseAddress, bytes.count, &count) == 1 { return nil }
    hasFailed = true
    return OpenSSLError.take("write", of: ssl)
  }

  var output: UnsafeRawBufferPointer {
    isOnPool
      ? UnsafeRawBufferPointer(start: nil, count: 0)
      : UnsafeRawBufferPointer(start: wire.pointee.out, count: wire.pointee.out_count)
  }

  func dropOutput() {
    assert(!isOnPool, "a thread of the pool has the session")
    ctls_wire_sent(wire)
  }

  func end() -> Bool {
    if !isReady || hasFailed || SSL_get_shutdown(ssl) & SSL_SENT_SHUTDOWN != 0 { return false }
    OpenSSLError.clear()
    // It returns 0 because the peer's own sign has not come, which isn't waited for here.
    let result = SSL_shutdown(ssl)
    OpenSSLError.clear()
    return result >= 0
  }
}

/// The memory that all connections of a thread receive into.
final class CiphertextBuffer {
  private static let ofThread = ThreadLocal<CiphertextBuffer>()
  /// The calling thread's.
  static var current: CiphertextBuffer { ofThread.get { CiphertextBuffer() } }

  let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 65536, alignment: 16)

  deinit { memory.deallocate() }
}

/// The functions of the transport, for all connections; nil if there was no memory for them.
// Sound: they are made once and never change.
private nonisolated(unsafe) let transport = ctls_bio_method()
