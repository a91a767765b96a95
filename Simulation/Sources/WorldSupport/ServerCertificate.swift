public import UV

/// A certificate for the name "server", and its key, which guards nothing. They are always the same, because a
/// seed must repeat each byte, and valid for a hundred years, because a world's date isn't today's.
public enum ServerCertificate {
  /// The certificate in PEM, which is its own root.
  public static var chain: Bytes { Bytes(certificate) }
  /// The private key in PEM.
  public static var privateKey: Bytes { Bytes(key) }

  private static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBlzCCAT2gAwIBAgIUURsw+94CMyS1mnD2lIRoQL5dJoEwCgYIKoZIzj0EAwIw
    ETEPMA0GA1UEAwwGc2VydmVyMCAXDTI2MTEyNTA0NDI1OVoYDzIxMjYxMTAxMDQ0
    MjU5WjARMQ8wDQYDVQQDDAZzZXJ2ZXIwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
    AASv2iRWkSWyuSZphlNHXyYFF7R5qIbP7l+1wHr4HgfWz9aftTTljYpYnnsV+R2R
    K9kpSKmLUufhRMAxlimBMX+Ao3EwbzAdBgNVHQ4EFgQUJs86FJrHuq8BK/DI7KxQ
    zsMQ2iIwHwYDVR0jBBgwFoAUJs86FJrHuq8BK/DI7KxQzsMQ2iIwDwYDVR0TAQH/
    BAUwAwEB/zAcBgNVHREEFTATggZzZXJ2ZXKCCWxvY2FsaG9zdDAKBggqhkjOPQQD
    AgNIADBFAiAFrngszbid3PPnJhQaVKlLvv2Nyqzc9ZopimLWXqpjPQIhAMshfIwM
    SfguJdBAoZFD2x4pEKHTaGJGV3AB7otT0fEr
    -----END CERTIFICATE-----

    """

  private static let key = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQglF+J4jszE9JB3JQL
    ar/UEsLedEVxp+Un0TxGO73FtlOhRANCAASv2iRWkSWyuSZphlNHXyYFF7R5qIbP
    7l+1wHr4HgfWz9aftTTljYpYnnsV+R2RK9kpSKmLUufhRMAxlimBMX+A
    -----END PRIVATE KEY-----

    """
}
