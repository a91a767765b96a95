import COpenSSL

// Sound: everything is behind a lock.
/// The keys with which servers encrypt the tickets that resume sessions.
///
/// Servers that have the same keys resume each other's sessions. Somebody who gets hold of a key can decrypt
/// what was resumed with its tickets, so keys should change every few hours:
///
/// ```swift
/// let keys = try TLSTicketKeys()
/// options.ticketKeys = keys
/// for try await _ in loop.ticks(every: .seconds(12 * 3600)) { try keys.rotate() }
/// ```
///
/// Any thread may change the keys, while any number of contexts and loops use them.
///
/// The corresponding OpenSSL function is `SSL_CTX_set_tlsext_ticket_key_evp_cb`.
public final class TLSTicketKeys: @unchecked Sendable {
  /// The bytes of a key: 16 that name it, 32 for the tickets' authenticity, and 32 for their encryption.
  public static let keySize = Int(CTLS_TICKET_KEY_SIZE)
  /// The most keys that are kept.
  public static let limit = Int(CTLS_TICKET_KEYS)

  let raw: UnsafeMutablePointer<ctls_ticket_keys>

  /// One key, at random.
  ///
  /// - Throws: `tls` if the system has no random bytes, and `outOfMemory`.
  ///
  /// The corresponding OpenSSL function is `RAND_priv_bytes`.
  public convenience init() throws(UVError) {
    try self.init(empty: ())
    try rotate()
  }

  /// Keys that servers share.
  ///
  /// - Parameter keys: Secret bytes, ``keySize`` for each key. The first key encrypts, and all of them
  ///   decrypt. There must be between one and ``limit``.
  /// - Throws: `invalidArgument` for a wrong length or number, and `outOfMemory`.
  ///
  /// The corresponding OpenSSL function is `SSL_CTX_set_tlsext_ticket_keys`.
  public convenience init(_ keys: [Bytes]) throws(UVError) {
    try self.init(empty: ())
    guard 1...Self.limit ~= keys.count else {
      throw UVError(.invalidArgument, operation: "ticket_keys", subject: "\(keys.count) keys")
    }
    for key in keys.reversed() { try add(key, keeping: Self.limit) }
  }

  private init(empty: Void) throws(UVError) {
    OpenSSLStart.ensure()
    guard let raw = ctls_ticket_keys_new() else { throw UVError(.outOfMemory, operation: "ticket_keys") }
    self.raw = raw
  }

  deinit { ctls_ticket_keys_free(raw) }

  /// Encrypts later tickets with a new key at random.
  ///
  /// - Parameter count: How many keys are kept, the new one among them; from 1 to ``limit``. Tickets of the
  ///   others are still accepted, and their clients get new ones.
  /// - Throws: `tls` if the system has no random bytes, and `invalidArgument` for another count. The keys
  ///   then stay as they were.
  ///
  /// The corresponding OpenSSL function is `RAND_priv_bytes`.
  public func rotate(keeping count: Int = 2) throws(UVError) {
    try check(count)
    ERR_clear_error()
    if !ctls_ticket_keys_rotate(raw, UInt32(count)) { throw OpenSSLError.take("ticket_keys") }
  }

  /// Encrypts later tickets with a key that other servers have, too.
  ///
  /// Every server must know a key before one of them encrypts with it, or it can't resume what comes from
  /// there: a full handshake is done then.
  ///
  /// - Parameters:
  ///   - key: ``keySize`` secret bytes.
  ///   - count: How many keys are kept; see ``rotate(keeping:)``.
  /// - Throws: `invalidArgument` for a wrong length or count. The keys then stay as they were.
  ///
  /// The corresponding OpenSSL function is `SSL_CTX_set_tlsext_ticket_keys`.
  public func add(_ key: Bytes, keeping count: Int = 2) throws(UVError) {
    try check(count)
    guard key.count == Self.keySize else {
      throw UVError(
        .invalidArgument, operation: "ticket_keys",
        subject: "a key of \(key.count) bytes, not \(Self.keySize)")
    }
    key.withUnsafeBytes { ctls_ticket_keys_add(raw, $0.baseAddress, UInt32(count)) }
  }

  private func check(_ count: Int) throws(UVError) {
    guard 1...Self.limit ~= count else {
      throw UVError(.invalidArgument, operation: "ticket_keys", subject: "\(count) keys to keep")
    }
  }
}

/// Called by OpenSSL when it makes a ticket, or gets one.
func useTicketKey(
  _ connection: OpaquePointer?, _ name: UnsafeMutablePointer<UInt8>?, _ iv: UnsafeMutablePointer<UInt8>?,
  _ cipher: OpaquePointer?, _ mac: OpaquePointer?, _ encrypts: Int32
) -> Int32 {
  guard let context = ctls_context_owner(connection!) else { return -1 }
  // Sound: the session that is at work keeps its context.
  return Unmanaged<TLSContext>.fromOpaque(context)._withUnsafeGuaranteedRef {
    guard let keys = $0.options.ticketKeys else { return 0 }
    let result = ctls_use_ticket_key(keys.raw, name, iv, cipher, mac, encrypts)
    // A ticket of TLS 1.3 is used once. OpenSSL sends another by itself if the keys are its own, and
    // otherwise if it is asked.
    return result == 1 && encrypts == 0 && SSL_version(connection) == TLS1_3_VERSION ? 2 : result
  }
}
