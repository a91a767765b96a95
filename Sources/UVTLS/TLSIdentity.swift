import COpenSSL

// Sound: nothing in it is written to after its initializer, and OpenSSL counts its references atomically.
/// A certificate with its chain, and the private key that belongs to it: who one end of a connection is.
///
/// ```swift
/// let identity = try TLSIdentity(certificateChain: "server.pem", privateKey: "server.key")
/// ```
///
/// An identity never changes. It serves any number of contexts and loops.
///
/// The corresponding OpenSSL function is `SSL_CTX_use_cert_and_key`.
public final class TLSIdentity: @unchecked Sendable {
  let certificate: OpaquePointer
  /// The other certificates of the chain.
  let chain: OpaquePointer
  let key: OpaquePointer
  /// The certificate's digest.
  let digest: [UInt8]

  /// Reads an identity from files in PEM form. The calling thread waits for the file system.
  ///
  /// - Parameters:
  ///   - certificateChain: The file with the certificate, followed by the certificates that lead to a root.
  ///     The root itself isn't needed.
  ///   - privateKey: The file with the private key. It may be the same file.
  ///   - passphrase: What an encrypted private key is decrypted with; nil for a key that isn't encrypted.
  /// - Throws: `noSuchFile`, `permissionDenied` or `invalidArgument` (a path with a NUL in it), and `tls` if a file holds something else, if the key
  ///   doesn't match the certificate, or if the key is encrypted and the passphrase is missing or wrong. The
  ///   error names the file.
  ///
  /// The corresponding OpenSSL functions are `PEM_read_bio_X509` and `PEM_read_bio_PrivateKey`.
  public convenience init(
    certificateChain: some PathConvertible, privateKey: some PathConvertible, passphrase: String? = nil
  ) throws(UVError) {
    let certificates = try PEM(path: certificateChain)
    let key = try PEM(path: privateKey)
    try self.init(certificates, key, passphrase)
  }

  /// Reads an identity from memory; see ``init(certificateChain:privateKey:passphrase:)``.
  ///
  /// - Parameters:
  ///   - certificateChain: The certificates in PEM form, the identity's own first.
  ///   - privateKey: The private key in PEM form.
  ///   - passphrase: What an encrypted private key is decrypted with; nil for a key that isn't encrypted.
  /// - Throws: `tls`; see ``init(certificateChain:privateKey:passphrase:)``.
  ///
  /// The corresponding OpenSSL functions are `PEM_read_bio_X509` and `PEM_read_bio_PrivateKey`.
  public convenience init(
    pemCertificateChain certificateChain: Bytes, pemPrivateKey privateKey: Bytes, passphrase: String? = nil
  ) throws(UVError) {
    let certificates = try PEM(certificateChain, "the certificate chain")
    let key = try PEM(privateKey, "the private key")
    try self.init(certificates, key, passphrase)
  }

  private init(_ certificates: PEM, _ keys: PEM, _ passphrase: String?) throws(UVError) {
    let list = try certificates.readCertificates()
    guard let certificate = list.first else {
      throw UVError(
        .tls, operation: PEM.operation, subject: certificates.subject,
        message: "there is no certificate in it")
    }
    guard let chain = ctls_chain_new() else { throw UVError(.outOfMemory, operation: PEM.operation) }
    for other in list.dropFirst() { _ = ctls_chain_append(chain, other) }
    let key: OpaquePointer
    do throws(UVError) { key = try keys.readKey(passphrase) } catch {
      X509_free(certificate)
      ctls_chain_free(chain)
      throw error
    }
    self.certificate = certificate
    self.chain = chain
    self.key = key
    digest = SessionPolicy.digest(of: certificate)
    // From here on `deinit` frees all of it.
    if X509_check_private_key(certificate, key) != 1 {
      ERR_clear_error()
      throw UVError(
        .tls, operation: PEM.operation, subject: keys.subject,
        message: "the private key doesn't belong to the certificate in \(certificates.subject)")
    }
  }

  deinit {
    X509_free(certificate)
    ctls_chain_free(chain)
    EVP_PKEY_free(key)
  }
}
