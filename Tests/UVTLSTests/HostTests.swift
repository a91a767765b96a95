import Testing
import UVTLS
import UVTestSupport

/// What a client can verify: names and addresses, in one form.
@Suite struct HostTests {
  private let certificates = Certificates.shared

  private static let refused = [
    "", ".", "..", ".example.org", "example..org", "example.org..", "localhost\0.evil.org", "localhost\0",
    "\0",
    "127.0.0.1\0", "*.example.org", "*", "local host", " localhost", "localhost\n", "localhost:443", "[::1]",
    "127.0.0.1%lo", "ex/ample", "user@localhost", "exämple.org", String(repeating: "a", count: 64),
    Array(repeating: "abcdefg", count: 32).joined(separator: "."),
  ]

  @Test("What is no name is refused wherever a host is named", arguments: refused)
  func refusal(host: String) async throws {
    let client = try certificates.client()
    let careless = try TLSContext.client(trust: .everyoneWithoutVerification)
    try await withLoop { loop in
      for context in [client, careless] {
        await expectError(
          .invalidArgument, of: try await loop.tls.connect(host: host, port: 1, context).value)
        let (near, far) = try loop.pipes.socketPair()
        await expectError(.invalidArgument, of: try await loop.tls.secure(near, context, host: host).value)
        // The plain stream is as it was.
        try await near.write("x").value
        #expect(try await far.next().value == "x")
        near.close()
        far.close()
      }
    }
    if host == "*.example.org" { return }
    let identity = try certificates.identity()
    for name in [host, "*.\(host)"] where name != "127.0.0.1" {
      #expect(throws: UVError.self, "\(name)") { try TLSContext.server(identity, names: [name: identity]) }
    }
  }

  /// The error of a handshake with a server, or nil.
  private func failure(_ host: String, server: String = "server") async throws -> String? {
    let (server, client) = try (certificates.server(server), certificates.client())
    return try await withLoop { loop in
      switch try await handshake(loop, server, client, host: host) {
      case .success(let (near, far)):
        near.close()
        far.close()
        return nil
      case .failure(let error): return error.description
      }
    }
  }

  @Test("A name in capitals or with a dot at the end, and an address with a zone, are what they stand for")
  func forms() async throws {
    for host in ["localhost", "LocalHost", "localhost.", "127.0.0.1", "::1", "::1%lo", "0:0:0:0:0:0:0:1%1"] {
      #expect(try await failure(host) == nil, "\(host)")
    }
    #expect(try await failure("::2%lo") == "secure ::2%lo: IP address mismatch (TLS)")
  }

  @Test func `A certificate's common name is no name of the host's`() async throws {
    #expect(
      try await failure("localhost", server: "common") == "secure localhost: hostname mismatch (TLS)")
  }

  @Test("A name's identity takes the place of one with another kind of key", arguments: ["rsa", "server"])
  func kindsOfKeys(named: String) async throws {
    let other = named == "rsa" ? "second" : "rsa"
    // Whichever kind a client prefers, it gets the name's own.
    let server = try TLSContext.server(
      certificates.identity(other), names: ["localhost": certificates.identity(named)])
    let client = try TLSContext.client(trust: .everyoneWithoutVerification)
    let expected = try certificates.der("\(named).pem")
    try await withLoop { loop in
      let (near, far) = try await handshake(loop, server, client).get()
      #expect(far.peerCertificates.first == expected)
      near.close()
      far.close()
    }
  }
}
