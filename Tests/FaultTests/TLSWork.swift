import Foundation
import UV
import UVTLS

/// A server that sends back what comes, in secret, and clients that compare; each ends as well as it can.
final class TLSWork {
  private let loop: EventLoop
  private let ledger: Ledger
  private var listener: TLSListener?
  private var clients = 0
  private let echo: Echo

  private static let pattern = Bytes((0..<150_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) })
  /// Made once, before any fault.
  private static let shared = try! makeContext()
  /// One for each round, because it remembers sessions.
  private let client = try! TLSContext.client(trust: .certificates(pem: TLSWork.shared.certificate))

  init(_ loop: EventLoop, _ ledger: Ledger) {
    self.loop = loop
    self.ledger = ledger
    echo = Echo(ledger)
  }

  /// The context of a server, and its certificate, which openssl makes.
  private static func makeContext() throws -> (server: TLSContext, certificate: Bytes) {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("swift-uv-\(UUID()).pem").path
    let openssl = Process()
    openssl.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    openssl.arguments =
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1"
      .split(separator: " ").map(String.init) + ["-out", path, "-keyout", path + ".key"]
    openssl.standardError = FileHandle.nullDevice
    try openssl.run()
    openssl.waitUntilExit()
    defer { for file in [path, path + ".key"] { try? FileManager.default.removeItem(atPath: file) } }
    let identity = try TLSIdentity(certificateChain: path, privateKey: path + ".key")
    var options = TLSOptions()
    options.handshakesOnThreadPool = true
    let certificate = try Data(contentsOf: URL(fileURLWithPath: path))
    return (try .server(identity, options: options), Bytes(certificate))
  }

  /// Makes what is made once, so that no fault strikes there.
  static func prepare() { _ = shared }

  func start() {
    guard let listener = try? loop.tls.listen(host: "127.0.0.1", port: 0, Self.shared.server),
      let port = try? Int(listener.localAddress().port)
    else { return }
    self.listener = listener
    listener.start { [self] result in if let connection = try? result.get() { echo.serve(connection) } }
    clients = 2
    for size in [10, 150_000] {
      loop.tls.connect(
        host: "127.0.0.1", port: port, client, handshakeTimeout: .seconds(5),
        ledger.once("connect") { [self] in converse($0, size) })
    }
    loop.tls.connect(
      host: "127.0.0.1", port: port, client,
      ledger.once("connect, cancelled") { if let connection = try? $0.get() { connection.close() } }
    ).cancel()
  }

  private func converse(_ result: Result<TLSConnection, UVError>, _ size: Int) {
    guard let client = try? result.get() else { return finish() }
    echo.converse(client, Bytes(Self.pattern.prefix(size))) { [self] in finish() }
  }

  private func finish() {
    clients -= 1
    if clients == 0 { listener?.close() }
  }
}
