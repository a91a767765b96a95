import COpenSSL
import Testing
import UVTestSupport

@testable import UVTLS

/// The keys of tickets, and where clients keep sessions: how many there are, and which is used.
@Suite struct TicketTests {
  private let certificates = Certificates.shared

  private static let versions = [TLSOptions.Version.tls12, .tls13]

  /// Does handshakes one after the other, each with a server, and says which were resumed.
  private func resumed(_ servers: [TLSContext], _ version: TLSOptions.Version) async throws -> [Bool] {
    var options = TLSOptions()
    options.maximumVersion = version
    let client = try certificates.client(options: options)
    return try await withLoop { loop in
      var resumed: [Bool] = []
      for server in servers { resumed.append(try await resumes(loop, server, client)) }
      return resumed
    }
  }

  private func server(_ keys: TLSTicketKeys) throws -> TLSContext {
    var options = TLSOptions()
    options.ticketKeys = keys
    return try certificates.server(options: options)
  }

  private static func key(_ number: Int) -> Bytes {
    Bytes((0..<TLSTicketKeys.keySize).map { UInt8(truncatingIfNeeded: $0 * 3 + number * 17) })
  }

  @Test("The first key of a server encrypts, and each of them decrypts", arguments: versions)
  func order(version: TLSOptions.Version) async throws {
    func context(_ numbers: Int...) throws -> TLSContext { try server(TLSTicketKeys(numbers.map(Self.key))) }
    for (maker, taker, isResumed) in [
      (try context(1), try context(1), true), (try context(1), try context(2), false),
      (try context(1, 2), try context(1), true), (try context(1, 2), try context(2), false),
      (try context(1), try context(2, 1), true), (try context(3), try context(1, 2, 3), true),
      (try context(1, 2, 3), try context(3, 2), false), (try context(3, 1), try context(2, 1, 3), true),
      (try context(4), try context(1, 2, 3, 4), true),
    ] {
      #expect(try await resumed([maker, taker], version) == [false, isResumed])
    }
    // One that another key has decrypted gets a ticket of the first key.
    #expect(
      try await resumed([try context(1), try context(2, 1), try context(2)], version) == [false, true, true])
  }

  @Test("A key that is added encrypts from then on, and so many keys are kept", arguments: 1...4)
  func kept(count: Int) async throws {
    for rotations in 0...5 {
      for isAdded in [true, false] {
        let keys = try TLSTicketKeys()
        let server = try server(keys)
        let client = try certificates.client()
        let found: [Bool] = try await withLoop { loop in
          var resumed: [Bool] = []
          for round in 0..<2 {
            if round == 1 {
              for number in 0..<rotations {
                if isAdded {
                  try keys.add(Self.key(number), keeping: count)
                } else {
                  try keys.rotate(keeping: count)
                }
              }
            }
            let (near, far) = try await handshake(loop, server, client).get()
            try await near.write("x").value
            #expect(try await far.next().value == "x")
            resumed.append(far.isResumed)
            near.close()
            far.close()
          }
          return resumed
        }
        #expect(found == [false, rotations < count], "\(rotations) rotations, \(count) are kept")
      }
    }
  }

  /// A session of a version, which a test can tell from others.
  private static func session(_ version: TLSOptions.Version) -> OpaquePointer {
    let session = SSL_SESSION_new()!
    #expect(SSL_SESSION_set_protocol_version(session, version.rawValue) == 1)
    return session
  }

  @Test func `A session of TLS 1.3 is used once, the latest first, and two of a host are kept`() {
    let cache = SessionCache()
    let (a, b) = (SessionCache.Key(host: "a", port: 1), SessionCache.Key(host: "a", port: 2))
    for count in 0...4 {
      let sessions = (0..<count).map { _ in Self.session(.tls13) }
      for session in sessions { cache.insert(session, for: a) }
      for number in 0..<3 {
        #expect(cache.take(for: b) == nil)
        let taken = cache.take(for: a)
        #expect(
          taken == (number < min(count, 2) ? sessions[count - 1 - number] : nil), "\(number) of \(count)")
        if let taken { SSL_SESSION_free(taken) }
      }
    }
    #expect(cache.take(for: SessionCache.Key(host: "a", port: nil)) == nil)
  }

  @Test func `A session of TLS 1.2 is used again, until a later one comes`() {
    let cache = SessionCache()
    let key = SessionCache.Key(host: "a", port: nil)
    for _ in 0..<3 {
      let session = Self.session(.tls12)
      cache.insert(session, for: key)
      for _ in 0..<3 {
        let taken = cache.take(for: key)
        #expect(taken == session)
        if let taken { SSL_SESSION_free(taken) }
      }
    }
  }

  @Test func `Two hundred and fifty-six hosts are remembered, and the last among them`() {
    let cache = SessionCache()
    for number in 0..<300 {
      cache.insert(Self.session(.tls13), for: SessionCache.Key(host: "\(number)", port: 1))
      cache.insert(Self.session(.tls13), for: SessionCache.Key(host: "\(number)", port: 1))
    }
    var (hosts, last) = (0, false)
    for number in 0..<300 {
      let key = SessionCache.Key(host: "\(number)", port: 1)
      guard let session = cache.take(for: key) else { continue }
      (hosts, last) = (hosts + 1, number == 299)
      SSL_SESSION_free(session)
      let second = cache.take(for: key)
      #expect(second != nil)
      if let second { SSL_SESSION_free(second) }
    }
    #expect(hosts == 256 && last)
  }

  @Test("A name is looked for as it is, then below a star, in capitals or not")
  func names() throws {
    let (one, two, three) = (
      try certificates.identity("server"), try certificates.identity("second"),
      try certificates.identity("wild")
    )
    let context = try TLSContext.server(
      certificates.identity("rsa"),
      names: ["a.test": one, "*.A.test": two, "*.b.a.test": three, "x.a.test": three])
    for (name, expected) in [
      ("a.test", one), ("A.TEST", one), ("b.a.test", two), ("B.A.test", two), ("c.b.a.test", three),
      ("x.a.test", three), ("y.x.a.test", nil), ("d.c.b.a.test", nil), ("test", nil), ("b.test", nil),
      (nil, nil),
      ("xa.test", nil), (".a.test", two),
    ] as [(String?, TLSIdentity?)] {
      #expect(context.identity(for: name) === expected, "\(name ?? "-")")
    }
    #expect(try certificates.server().identity(for: "a.test") == nil)
  }
}
