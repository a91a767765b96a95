import UV

/// Makes a certificate for localhost and its key in a new folder, by openssl's own command: `server.pem` and `server.key`.
func makeCertificates(_ loop: EventLoop) async throws(UVError) -> String {
  let directory = try await loop.files.mkdtemp("/tmp/certificates-XXXXXX").value.description
  let openssl = try loop.processes.spawn(
    "openssl",
    [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
      "-subj",
      "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-out",
      "\(directory)/server.pem",
      "-keyout", "\(directory)/server.key",
    ], environment: ["PATH": "/usr/bin:/bin:/usr/local/bin:/opt/homebrew/bin"])
  _ = try await openssl.exit().value
  return directory
}

func removeCertificates(_ loop: EventLoop, _ directory: String) async throws(UVError) {
  for name in ["server.pem", "server.key"] { try await loop.files.unlink("\(directory)/\(name)").value }
  try await loop.files.rmdir(directory).value
}
