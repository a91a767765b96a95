import UVTLS
import UVTestSupport

extension Certificates {
  func identity(_ name: String = "server") throws(UVError) -> TLSIdentity {
    try TLSIdentity(certificateChain: path("\(name).pem"), privateKey: path("\(name).key"))
  }

  /// Whom the tests' clients trust.
  var trust: TLSTrust { .certificates(path("root.pem")) }

  func server(
    _ name: String = "server", protocols: [String] = [], clientCertificates: TLSClientCertificates = .none,
    options: TLSOptions = TLSOptions()
  ) throws(UVError) -> TLSContext {
    try .server(
      identity(name), protocols: protocols, clientCertificates: clientCertificates, options: options)
  }

  func client(
    _ identity: String? = nil, protocols: [String] = [], options: TLSOptions = TLSOptions()
  ) throws(UVError) -> TLSContext {
    try .client(
      trust: trust, identity: identity.map { name throws(UVError) in try self.identity(name) },
      protocols: protocols, options: options)
  }
}
