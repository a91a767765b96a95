import COpenSSL

/// OpenSSL keeps a queue of errors for each thread. It is emptied before and after each call that can fail.
enum OpenSSLError {
  /// The reasons from here on are alerts that the peer has sent.
  private static let alerts = 1000

  /// Empties the queue, which is usually empty. To look takes a fraction of what emptying takes.
  @inline(__always)
  static func clear() { if ERR_peek_error() != 0 { ERR_clear_error() } }

  /// Takes the error of the call that has just failed.
  ///
  /// - Parameter connection: The connection that it was about. It knows why a certificate was rejected.
  static func take(
    _ operation: String, _ subject: String? = nil, of connection: OpaquePointer? = nil
  ) -> UVError {
    // The first error is the cause; the others say where it was met.
    let error = ERR_get_error()
    ERR_clear_error()
    if ctls_is_system_error(error) {
      return UVError(
        UVError.Code(rawValue: -ctls_error_reason(error)), operation: operation, subject: subject)
    }
    return UVError(.tls, operation: operation, subject: subject, message: reason(error, connection))
  }

  private static func reason(_ error: UInt, _ connection: OpaquePointer?) -> String {
    let reason = Int(ctls_error_reason(error))
    guard ctls_error_library(error) == ERR_LIB_SSL else { return text(error) }
    if reason == SSL_R_CERTIFICATE_VERIFY_FAILED, let connection {
      let result = SSL_get_verify_result(connection)
      if result != X509_V_OK { return String(cString: X509_verify_cert_error_string(result)) }
    }
    if reason >= alerts { return "the peer has sent the alert \(alert(reason - alerts))" }
    return text(error)
  }

  /// The name of an alert. OpenSSL calls those of TLS 1.3 unknown (RFC 8446, 6).
  private static func alert(_ number: Int) -> String {
    switch number {
    case 109: "missing extension"
    case 116: "certificate required"
    case 120: "no application protocol"
    default:
      if let name = SSL_alert_desc_string_long(Int32(number)).map({ String(cString: $0) }), name != "unknown"
      {
        name
      } else {
        "\(number)"
      }
    }
  }

  private static func text(_ error: UInt) -> String {
    ERR_reason_error_string(error).map { String(cString: $0) } ?? "OpenSSL gives no reason"
  }
}

/// Sets OpenSSL up, once in a process. Code that may be the first to call OpenSSL calls ``ensure()`` before.
enum OpenSSLStart {
  /// OpenSSL frees nothing when the process ends: `exit` waits for no thread, and a loop that speaks TLS meanwhile would
  /// use what is gone. A program that has used OpenSSL before has decided that itself.
  private static let once: Void = { _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) }()

  static func ensure() { once }
}
