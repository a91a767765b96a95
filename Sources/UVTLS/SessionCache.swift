import COpenSSL

/// The sessions with which a client can make its next handshake shorter, by host and port.
///
/// Each of TLS 1.3 is used once, as the standard recommends: an observer of the network then can't see
/// that two connections belong together. One of TLS 1.2 is used again, because a server doesn't send another.
// Sound: everything is behind the lock.
final class SessionCache: @unchecked Sendable {
  /// The server that a client has a session with. The context has this cache for itself, so its other
  /// settings needn't be here.
  struct Key: Hashable {
    /// The name or address that was verified.
    let host: String
    /// The port of TCP; nil if the connection has none, as through a pipe.
    let port: Int?
  }

  /// How many hosts are remembered, and how many sessions of each.
  private static let (hosts, sessionsPerHost) = (256, 2)

  private let lock = Lock()
  private var sessions: [Key: [OpaquePointer]] = [:]

  deinit {
    for session in sessions.values.joined() { SSL_SESSION_free(session) }
    lock.deallocate()
  }

  /// Takes over a session.
  func insert(_ session: OpaquePointer, for host: Key) {
    lock.withLock {
      if sessions.count >= Self.hosts, sessions[host] == nil, let other = sessions.keys.first {
        for session in sessions.removeValue(forKey: other) ?? [] { SSL_SESSION_free(session) }
      }
      var list = sessions[host] ?? []
      if list.count == Self.sessionsPerHost { SSL_SESSION_free(list.removeFirst()) }
      list.append(session)
      sessions[host] = list
    }
  }

  /// The latest session for a host, which the caller frees.
  func take(for host: Key) -> OpaquePointer? {
    lock.withLock {
      if let session = sessions[host]?.last, SSL_SESSION_get_protocol_version(session) <= TLS1_2_VERSION {
        SSL_SESSION_up_ref(session)
        return session
      }
      let session = sessions[host]?.popLast()
      if sessions[host]?.isEmpty == true { sessions[host] = nil }
      return session
    }
  }
}
