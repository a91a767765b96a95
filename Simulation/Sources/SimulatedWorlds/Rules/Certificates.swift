import UV
import UVTLS

/// What the two sides of TLS show and trust.
package enum Certificates {
  package static func server(_ loop: EventLoop) throws(UVError) -> TLSContext {
    let identity = try TLSIdentity(
      pemCertificateChain: ServerCertificate.chain, pemPrivateKey: ServerCertificate.privateKey)
    var options = TLSOptions()
    options.handshakesOnThreadPool = loop.isDrawn(oneIn: 2)
    options.smallFirstRecords = loop.isDrawn(oneIn: 4)
    return try TLSContext.server(identity, options: options)
  }

  package static func client(_ loop: EventLoop) throws(UVError) -> TLSContext {
    var options = TLSOptions()
    options.handshakesOnThreadPool = loop.isDrawn(oneIn: 2)
    if loop.isDrawn(oneIn: 4) { options.maximumVersion = .tls12 }
    return try TLSContext.client(trust: .certificates(pem: ServerCertificate.chain), options: options)
  }
}
