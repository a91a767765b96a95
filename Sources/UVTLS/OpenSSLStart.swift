import COpenSSL

/// Sets OpenSSL up, once in a process. Code that may be the first to call OpenSSL calls ``ensure()`` before.
enum OpenSSLStart {
  /// OpenSSL frees nothing when the process ends: `exit` waits for no thread, and a loop that speaks TLS meanwhile would
  /// use what is gone. A program that has used OpenSSL before has decided that itself.
  private static let once: Void = { _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) }()

  static func ensure() { once }
}
