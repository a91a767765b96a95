import Foundation
import UV
import UVTLS
import UVTestSupport

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
  private let client = try! TLSContext.client(trust: .certificates(pem: TLSWork.shared.root))

  init(_ loop: EventLoop, _ ledger: Ledger) {
    self.loop = loop
    self.ledger = ledger
    echo = Echo(ledger)
  }

  /// The context of a server, and the root that it is trusted by.
  private static func makeContext() throws -> (server: TLSContext, root: Bytes) {
    let files = Certificates.shared
    let identity = try TLSIdentity(
      certificateChain: files.path("server.pem"), privateKey: files.path("server.key"))
    var options = TLSOptions()
    options.handshakesOnThreadPool = true
    let root = try Data(contentsOf: URL(fileURLWithPath: files.path("root.pem")))
    return (try .server(identity, options: options), Bytes(root))
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
