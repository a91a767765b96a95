#if Everything
import UVHTTP
import UVTLS
import UVTestSupport

/// An HTTP server on a loop, with TLS or without, and the way to it.
struct HostedServer {
  let server: HTTPServer
  private let loop: EventLoop
  private let port: Int
  private let isSecure: Bool

  init(_ loop: EventLoop, isSecure: Bool) throws {
    (self.loop, self.isSecure) = (loop, isSecure)
    if isSecure {
      let certificates = Certificates.shared.directory
      let identity = try TLSIdentity(
        certificateChain: "\(certificates)/server.pem", privateKey: "\(certificates)/server.key")
      let listener = try loop.tls.listen(host: "127.0.0.1", port: 0, .server(identity))
      port = Int(try listener.localAddress().port)
      server = loop.http.serve(listener)
    } else {
      server = try loop.http.listen(host: "127.0.0.1", port: 0)
      port = Int(try server.localAddress().port)
    }
  }

  nonisolated(nonsending) func connect() async throws -> ByteStream {
    if !isSecure { return try await loop.tcp.connect(host: "127.0.0.1", port: port).value }
    let context = try TLSContext.client(
      trust: .certificates("\(Certificates.shared.directory)/root.pem"))
    return try await loop.tls.connect(host: "127.0.0.1", port: port, context).value
  }
}
#endif
