import Foundation

/// Certificates for tests, which openssl makes once in a process. They last a day or two.
public struct Certificates: Sendable {
  /// Those of this process.
  public static let shared = Certificates()

  /// Where the files are.
  public let directory: String

  private init() {
    directory = FileManager.default.temporaryDirectory.appendingPathComponent("swift-uv-tls-\(UUID())").path
    try! FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let (output, status) = try! runProgram(
      URL(fileURLWithPath: "/bin/sh"), ["-ec", Self.script], in: URL(fileURLWithPath: directory))
    precondition(status == 0, "openssl couldn't make the certificates: \(output)")
  }

  /// Each leaf is `NAME.pem` with `NAME.key`. The root is `root.pem`; `other.pem` is a root that signs
  /// nothing.
  private static let script = """
    key="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
    openssl req -x509 $key -keyout root.key -out root.pem -subj '/CN=the test root' -days 2
    openssl req -x509 $key -keyout other.key -out other.pem -subj '/CN=another root' -days 2
    leaf() {
      openssl req -new $3 -keyout $1.key -out $1.csr -subj "/CN=$1"
      printf 'subjectAltName=%s\\nbasicConstraints=critical,CA:FALSE\\n' "$2" >$1.ext
      openssl x509 -req -in $1.csr -CA root.pem -CAkey root.key -CAcreateserial -out $1.pem -extfile $1.ext -days $4
    }
    leaf server DNS:localhost,IP:127.0.0.1,IP:::1 "$key" 2
    leaf expired DNS:localhost "$key" -1
    leaf second DNS:second.test "$key" 2
    leaf wild 'DNS:*.wild.test' "$key" 2
    leaf client DNS:client.test "$key" 2
    leaf rsa DNS:localhost "-newkey rsa:2048 -nodes" 2
    leaf weak DNS:localhost "-newkey rsa:1024 -nodes" 2
    openssl req -new $key -keyout common.key -out common.csr -subj '/CN=localhost'
    openssl x509 -req -in common.csr -CA root.pem -CAkey root.key -CAcreateserial -out common.pem -days 2
    openssl ec -in server.key -aes128 -passout pass:secret -out encrypted.key
    cat server.pem root.pem >chain.pem
    : >empty.pem
    printf -- '-----BEGIN CERTIFICATE-----\\nrubbish\\n-----END CERTIFICATE-----\\n' >rubbish.pem
    """

  /// The path of one of the files.
  public func path(_ name: String) -> String { "\(directory)/\(name)" }
}
