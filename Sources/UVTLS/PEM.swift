import COpenSSL

/// Certificates and keys as text.
final class PEM {
  /// The operation that errors name when an identity can't be read.
  static let operation = "read"

  /// The file, or what is read.
  let subject: String
  private let source: OpaquePointer
  private let bytes: Bytes

  init(path: some PathConvertible) throws(UVError) {
    subject = path.subject
    bytes = Bytes()
    OpenSSLStart.ensure()
    ERR_clear_error()
    let opened: OpaquePointer?? = path.withPathBytes { $0.map { BIO_new_file($0, "r") } }
    guard let opened else { throw UVError(.invalidArgument, operation: Self.operation, subject: subject) }
    guard let file = opened else { throw OpenSSLError.take(Self.operation, subject) }
    source = file
  }

  init(_ bytes: Bytes, _ subject: String) throws(UVError) {
    self.subject = subject
    self.bytes = bytes
    OpenSSLStart.ensure()
    // Sound: this object keeps the bytes for as long as OpenSSL reads them.
    guard let memory = bytes.withUnsafeBytes({ ctls_bytes($0.baseAddress, Int32(clamping: $0.count)) }) else {
      throw UVError(.outOfMemory, operation: Self.operation, subject: subject)
    }
    source = memory
  }

  deinit {
    BIO_free(source)
    withExtendedLifetime(bytes) {}
  }

  /// All certificates, in order. The caller frees them.
  func readCertificates() throws(UVError) -> [OpaquePointer] {
    var list: [OpaquePointer] = []
    ERR_clear_error()
    while let certificate = PEM_read_bio_X509(source, nil, refusePassphrase, nil) { list.append(certificate) }
    if Self.isAtEnd(ERR_peek_last_error()) {
      ERR_clear_error()
      return list
    }
    for certificate in list { X509_free(certificate) }
    throw OpenSSLError.take(Self.operation, subject)
  }

  /// The first private key. The caller frees it.
  func readKey(_ passphrase: String?) throws(UVError) -> OpaquePointer {
    ERR_clear_error()
    var isAsked = false
    let key: OpaquePointer?
    if let passphrase {
      // OpenSSL's own callback copies this text.
      key = passphrase.withCString { text in
        PEM_read_bio_PrivateKey(source, nil, nil, UnsafeMutableRawPointer(mutating: text))
      }
    } else {
      key = withUnsafeMutablePointer(to: &isAsked) {
        PEM_read_bio_PrivateKey(source, nil, refusePassphrase, $0)
      }
    }
    if let key {
      ERR_clear_error()
      return key
    }
    let last = ERR_peek_last_error()
    let isMissing = Self.isAtEnd(last) || ctls_error_library(last) == ERR_LIB_OSSL_DECODER
    let error = OpenSSLError.take(Self.operation, subject)
    if isAsked { throw fault("the private key is encrypted; pass its passphrase") }
    if passphrase != nil, !isMissing, error.code == .tls {
      throw fault("the private key can't be decrypted: \(error.message)")
    }
    throw isMissing ? fault("there is no private key in it") : error
  }

  /// Whether an error is OpenSSL's way to report the end.
  private static func isAtEnd(_ error: UInt) -> Bool {
    ctls_error_library(error) == ERR_LIB_PEM && ctls_error_reason(error) == PEM_R_NO_START_LINE
  }

  private func fault(_ message: String) -> UVError {
    UVError(.tls, operation: Self.operation, subject: subject, message: message)
  }
}

/// OpenSSL would ask on the terminal. Notes that it was called, where `context` points.
private func refusePassphrase(
  _: UnsafeMutablePointer<CChar>?, _: Int32, _: Int32, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  // Sound: it points to the caller's variable, which outlives the call.
  context?.assumingMemoryBound(to: Bool.self).pointee = true
  return -1
}
