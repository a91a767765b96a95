/// The parts of a context that most programs leave as they are.
public struct TLSOptions: Sendable {
  /// A version of the protocol.
  public enum Version: Int32, Comparable, Sendable, CustomStringConvertible {
    /// TLS 1.2.
    case tls12 = 0x0303
    /// TLS 1.3.
    case tls13 = 0x0304

    /// Whether one version is older than another.
    public static func < (a: Version, b: Version) -> Bool { a.rawValue < b.rawValue }

    /// `"TLSv1.2"` or `"TLSv1.3"`.
    public var description: String { self == .tls12 ? "TLSv1.2" : "TLSv1.3" }
  }

  /// The oldest version that is accepted; TLS 1.2 by default.
  public var minimumVersion = Version.tls12
  /// The newest version that is offered; TLS 1.3 by default.
  public var maximumVersion = Version.tls13
  /// The ciphers of TLS 1.2, in OpenSSL's notation; nil for OpenSSL's own choice at security level 2.
  ///
  /// The corresponding OpenSSL function is `SSL_CTX_set_cipher_list`.
  public var cipherList: String?
  /// The ciphers of TLS 1.3, with colons between them; nil for OpenSSL's own choice.
  ///
  /// The corresponding OpenSSL function is `SSL_CTX_set_ciphersuites`.
  public var cipherSuites: String?
  /// Whether the arithmetic of handshakes is done on libuv's thread pool, so that it doesn't hold up the
  /// loop; false by default. A full handshake of a server with an RSA key takes about a millisecond.
  ///
  /// The corresponding libuv function is `uv_queue_work`.
  public var handshakesOnThreadPool = false
  /// The keys with which a server encrypts the tickets that resume sessions; nil for a key that the context
  /// makes at random and never changes. Contexts that share these keys resume each other's sessions.
  ///
  /// The corresponding OpenSSL function is `SSL_CTX_set_tlsext_ticket_key_evp_cb`.
  public var ticketKeys: TLSTicketKeys?
  /// Whether the first writes after a second without any are encrypted in small records, of 1,300 bytes each;
  /// false by default.
  ///
  /// A reader can use a record only when all of it has come. A record of 16 KiB takes a dozen packets, of
  /// which a connection that begins, or that was idle, sends some only when the first are acknowledged. With
  /// small records each packet is of use at once. The first 16 KiB are sent so. Each record costs 22 bytes
  /// and a call of the cipher.
  ///
  /// The corresponding OpenSSL function is `SSL_CTX_set_max_send_fragment`, which never changes its mind.
  public var smallFirstRecords = false
  /// Receives the keys of each connection, a line at a time, in the form that Wireshark reads. These lines
  /// let a reader decrypt everything. It is nil by default, and keys then go nowhere.
  ///
  /// It is called on the thread that does the handshake.
  ///
  /// The corresponding OpenSSL function is `SSL_CTX_set_keylog_callback`.
  public var keyLog: (@Sendable (String) -> Void)?

  /// The options that suit most programs.
  public init() {}
}

/// Decides how large the next record is, for ``TLSOptions/smallFirstRecords``.
package struct SmallRecords {
  /// With its header and the headers of TCP and IP, it fits into one packet of 1,500 bytes, and into one that
  /// a tunnel has made smaller.
  package static let recordSize = 1300
  /// How many bytes leave in small records: about what a connection that begins may send before it hears from
  /// its peer.
  package static let countAfterIdle = 16_384
  /// After so long without a write, TCP begins anew, too.
  static let idle = Duration.seconds(1)

  private var left = SmallRecords.countAfterIdle
  private var lastWrite: LoopClock.Instant?

  package init() {}

  /// Begins a write.
  package mutating func begin(at now: LoopClock.Instant) {
    if let lastWrite, lastWrite.duration(to: now) >= Self.idle { left = Self.countAfterIdle }
    lastWrite = now
  }

  /// How many of so many bytes go into the next call of OpenSSL's.
  package mutating func next(of count: Int) -> Int {
    if left == 0 { return count }
    let taken = min(count, Self.recordSize, left)
    left -= taken
    return taken
  }
}
