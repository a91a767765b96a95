import Foundation
import UVTLS
import UVTestSupport

extension Certificates {
  func identity(_ name: String = "server") throws(UVError) -> TLSIdentity {
    try TLSIdentity(certificateChain: path("\(name).pem"), privateKey: path("\(name).key"))
  }

  /// The bytes of a file.
  func bytes(_ name: String) throws -> Bytes {
    Bytes(try Data(contentsOf: URL(fileURLWithPath: path(name))))
  }

  /// A certificate in DER form.
  func der(_ name: String) throws -> Bytes {
    let lines = String(decoding: try bytes(name), as: UTF8.self).split(separator: "\n")
    let base64 = lines.drop { !$0.hasPrefix("-----BEGIN") }.dropFirst().prefix { !$0.hasPrefix("-----") }
    return Bytes(Data(base64Encoded: base64.joined())!)
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
