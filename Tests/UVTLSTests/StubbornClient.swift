import COpenSSL
import Testing
import UVTLS
import UVTestSupport

/// A client that offers any session to any server under any name, as no client of `UVTLS` does. It verifies
/// nothing.
final class StubbornClient {
  /// How a handshake ended, as the client sees it.
  enum Outcome: Equatable {
    case full, resumed, refused
  }

  /// What a handshake has left: a session, which is freed with it.
  final class Session {
    let raw: OpaquePointer

    fileprivate init(_ raw: OpaquePointer) { self.raw = raw }

    deinit { SSL_SESSION_free(raw) }
  }

  private let context: OpaquePointer

  /// - Parameters:
  ///   - identity: The name of the test's certificate that the client presents.
  ///   - hasTickets: Whether it understands tickets. Without them, sessions of TLS 1.2 go by their
  ///     identifiers.
  init(_ version: TLSOptions.Version, identity: String?, hasTickets: Bool = true) {
    context = SSL_CTX_new(TLS_client_method())!
    #expect(ctls_set_versions(context, version.rawValue, version.rawValue))
    if !hasTickets { SSL_CTX_set_options(context, 1 << 14) }
    if let identity {
      let (certificate, key) = (
        Certificates.shared.path("\(identity).pem"), Certificates.shared.path("\(identity).key")
      )
      #expect(SSL_CTX_use_certificate_file(context, certificate, SSL_FILETYPE_PEM) == 1)
      #expect(SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1)
    }
  }

  deinit { SSL_CTX_free(context) }

  /// Does a handshake, and reads until the server ends.
  nonisolated(nonsending) func visit(
    _ stream: ByteStream, name: String?, offering session: Session? = nil
  ) async throws -> (outcome: Outcome, session: Session?) {
    let ssl = SSL_new(context)!
    defer {
      // Without a word of the end, OpenSSL would take the session for one that mustn't be resumed.
      SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
      SSL_free(ssl)
    }
    let (input, output) = (BIO_new(BIO_s_mem())!, BIO_new(BIO_s_mem())!)
    SSL_set_bio(ssl, input, output)
    SSL_set_connect_state(ssl)
    if let name { #expect(ctls_set_server_name(ssl, name)) }
    if let session { #expect(SSL_set_session(ssl, session.raw) == 1) }
    var buffer = [UInt8](repeating: 0, count: 4096)
    var hasRead = false
    while true {
      ERR_clear_error()
      let count = SSL_read(ssl, &buffer, 4096)
      hasRead = hasRead || count > 0
      let error = SSL_get_error(ssl, count)
      var sent: [UInt8] = []
      var piece = BIO_read(output, &buffer, 4096)
      while piece > 0 {
        sent += buffer[..<Int(piece)]
        piece = BIO_read(output, &buffer, 4096)
      }
      // A server that refuses closes the connection, maybe before it has read.
      if !sent.isEmpty { try? await stream.write(Bytes(sent)).value }
      if count > 0 { continue }
      guard error == SSL_ERROR_WANT_READ, let bytes = try? await stream.next().value else { break }
      bytes.withUnsafeBytes { _ = BIO_write(input, $0.baseAddress, Int32($0.count)) }
    }
    ERR_clear_error()
    // A server of TLS 1.3 looks at the client's certificate when the client's own handshake is done.
    if !hasRead { return (.refused, nil) }
    return (SSL_session_reused(ssl) == 1 ? .resumed : .full, SSL_get1_session(ssl).map(Session.init))
  }
}

/// Has the client visit a server through a pipe. `server` gets the server's end, before it says a word and
/// ends; it isn't called if the handshake fails.
nonisolated(nonsending) func visit(
  _ loop: EventLoop, _ server: TLSContext, _ client: StubbornClient, name: String? = "localhost",
  offering session: StubbornClient.Session? = nil,
  server inspect: @escaping (TLSConnection) -> Void = { _ in }
) async throws -> (outcome: StubbornClient.Outcome, session: StubbornClient.Session?) {
  let (near, far) = try loop.pipes.socketPair()
  let serving = loop.spawn {
    guard let connection = try? await loop.tls.secure(near, server).value else { return }
    inspect(connection)
    _ = try? await connection.write("welcome").value
    _ = try? await connection.shutdown().value
    connection.close()
  }
  let visit = try await client.visit(far, name: name, offering: session)
  far.close()
  await serving.value
  return visit
}
