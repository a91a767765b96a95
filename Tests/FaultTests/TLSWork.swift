import Foundation
import UV
import UVTLS

/// A server that sends back what comes, in secret, and clients that compare; each ends as well as it can.
final class TLSWork {
  private let loop: EventLoop
  private let ledger: Ledger
  private var listener: TLSListener?
  private var clients = 0
  private var errors = 0

  private static let pattern = Bytes((0..<150_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) })
  /// Made once, before any fault.
  private static let shared = try! makeContext()
  /// One for each round, because it remembers sessions.
  private let client = try! TLSContext.client(trust: .certificates(pem: TLSWork.shared.certificate))

  init(_ loop: EventLoop, _ ledger: Ledger) {
    self.loop = loop
    self.ledger = ledger
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
    listener.start { [self] result in if let connection = try? result.get() { serve(connection) } }
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

  private func serve(_ connection: TLSConnection) {
    connection.start { [self] result in
      switch result {
      case .success(let bytes?):
        connection.write(
          bytes,
          ledger.once("server's write") { [self] in
            guard case .failure = $0 else { return }
            errors += 1
            connection.close(ledger.once("server's close"))
          })
      case .success(nil):
        connection.shutdown(
          ledger.once("server's shutdown") { [self] in
            if case .failure = $0 { errors += 1 }
            connection.close(ledger.once("server's close"))
          })
      case .failure:
        errors += 1
        connection.close(ledger.once("server's close"))
      }
    }
  }

  private func converse(_ result: Result<TLSConnection, UVError>, _ size: Int) {
    guard let client = try? result.get() else { return finish() }
    let bytes = Bytes(Self.pattern.prefix(size))
    var received = 0
    var isIntact = true
    func note(_ result: Result<Void, UVError>) {
      guard case .failure = result else { return }
      errors += 1
      // The server waits for the rest, which will not come.
      client.close()
    }
    client.write(Bytes(bytes.prefix(size / 2)), ledger.once("write", note))
    client.write([Bytes(bytes.dropFirst(size / 2))], ledger.once("write of several", note))
    client.drain(ledger.once("drain", note))
    client.shutdown(ledger.once("shutdown", note))
    client.start { [self] result in
      if case .success(let part?) = result {
        isIntact = isIntact && part == Bytes(bytes.dropFirst(received).prefix(part.count))
        return received += part.count
      }
      if case .failure = result { errors += 1 }
      // Unless somebody was told of an error, everything has come back.
      if errors == 0 {
        ledger.expect(received == size && isIntact, "\(received) of \(size) bytes came back")
      }
      client.close(ledger.once("close") { [self] _ in finish() })
    }
  }

  private func finish() {
    clients -= 1
    if clients == 0 { listener?.close() }
  }
}
