import Foundation

/// A certificate for `localhost` and 127.0.0.1, which openssl makes once in a process. It lasts two days, and
/// signs itself.
struct TestCertificate: Sendable {
  static let shared = TestCertificate()

  private let directory = FileManager.default.temporaryDirectory
    .appendingPathComponent("swift-uv-certificate-\(UUID().uuidString)").path

  var certificate: String { "\(directory)/server.pem" }
  var key: String { "\(directory)/server.key" }
  /// The options that an example is started with.
  var options: [String] { ["--tls-certificate", certificate, "--tls-key", key] }

  private init() {
    try! FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let status = try! runProgram(
      URL(fileURLWithPath: "/usr/bin/env"),
      [
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-days", "2",
        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key,
        "-out",
        certificate,
      ]
    ).status
    precondition(status == 0, "openssl couldn't make a certificate")
  }
}
