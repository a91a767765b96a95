import COpenSSL
import Testing
import UVTLS
import UVTestSupport

/// A program that calls OpenSSL itself, and leaves the errors of its own calls in the thread's queue.
@Suite struct LeftErrorTests {
  private let certificates = Certificates.shared

  /// Leaves errors as a program may.
  private static func leaveErrors() {
    let context = SSL_CTX_new(TLS_client_method())
    for _ in 0..<3 {
      #expect(SSL_CTX_use_PrivateKey_file(context, "/no/such/file", SSL_FILETYPE_PEM) != 1)
      #expect(SSL_CTX_set_cipher_list(context, "NO-SUCH-CIPHER") != 1)
    }
    SSL_CTX_free(context)
    #expect(ERR_peek_error() != 0)
  }

  @Test(arguments: [false, true])
  func `Errors of the program's own calls are none of a connection's`(onThreadPool: Bool) async throws {
    var options = TLSOptions()
    options.handshakesOnThreadPool = onThreadPool
    let (server, client) = try (certificates.server(options: options), certificates.client(options: options))
    try await withLoop { loop in
      Self.leaveErrors()
      let (near, far) = try await handshake(loop, server, client).get()
      for number in 0..<5 {
        Self.leaveErrors()
        try await near.write(Bytes("\(number)")).value
        Self.leaveErrors()
        #expect(try await far.next().value == Bytes("\(number)"))
        Self.leaveErrors()
        far.write("back") { _ in }
        Self.leaveErrors()
        #expect(try await near.read(exactly: 4).value == "back")
      }
      Self.leaveErrors()
      try await near.shutdown().value
      Self.leaveErrors()
      #expect(try await far.next().value == nil)
      for end in [near, far] {
        Self.leaveErrors()
        end.close()
      }
      ERR_clear_error()
    }
  }

  @Test func `The reason of a failure is its own`() async throws {
    let (server, client) = try (certificates.server(), certificates.client())
    try await withLoop { loop in
      Self.leaveErrors()
      guard case .failure(let error) = try await handshake(loop, server, client, host: "elsewhere.test")
      else {
        Issue.record("the client has taken it")
        return
      }
      #expect(error.description == "secure elsewhere.test: hostname mismatch (TLS)")
      Self.leaveErrors()
      var wrong = TLSOptions()
      wrong.cipherSuites = "NO-SUCH-SUITE"
      #expect(
        throws: UVError(.tls, operation: "tls_context", subject: "NO-SUCH-SUITE", message: "no cipher match")
      ) { try certificates.client(options: wrong) }
      Self.leaveErrors()
      do throws(UVError) {
        _ = try TLSIdentity(
          certificateChain: certificates.path("server.pem"), privateKey: certificates.path("nowhere.key"))
      } catch { #expect(error.code == .noSuchFile) }
      Self.leaveErrors()
      _ = try certificates.server()
      ERR_clear_error()
    }
  }
}
