import UV

/// A server that sends back what comes, and clients that compare; each ends as well as it can.
final class SocketWork {
  private let loop: EventLoop
  private let ledger: Ledger
  private var listener: TCPListener?
  private var clients = 0
  private let echo: Echo

  private static let pattern = Bytes((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) })

  init(_ loop: EventLoop, _ ledger: Ledger) {
    self.loop = loop
    self.ledger = ledger
    echo = Echo(ledger)
  }

  func start() {
    guard let listener = try? loop.tcp.listen(host: "127.0.0.1", port: 0),
      let address = try? listener.localAddress()
    else { return }
    self.listener = listener
    // Makes its socket before it binds it; dropped, which closes it.
    _ = try? loop.tcp.listen(host: "127.0.0.1", port: 0, reusePort: true)
    listener.start { [self] result in if let connection = try? result.get() { serve(connection) } }
    clients = 4
    for size in [1, 3000, 300_000] {
      loop.tcp.connect(to: address, ledger.once("connect") { [self] in converse($0, size) })
    }
    loop.tcp.connect(
      host: "localhost", port: Int(address.port),
      ledger.once("connect by name") { [self] in converse($0, 10) })
    let given = loop.tcp.connect(
      to: address,
      ledger.once("connect, cancelled") { if let connection = try? $0.get() { connection.close() } })
    given.cancel()
  }

  private func serve(_ connection: TCPConnection) {
    try? connection.setNoDelay()
    try? connection.setKeepAlive(.seconds(60))
    _ = try? connection.peerAddress()
    echo.serve(connection)
  }

  private func converse(_ result: Result<TCPConnection, UVError>, _ size: Int) {
    guard let client = try? result.get() else { return finish() }
    echo.converse(client, Bytes(Self.pattern.prefix(size))) { [self] in finish() }
  }

  private func finish() {
    clients -= 1
    if clients == 0 { listener?.close(ledger.once("listener's close")) }
  }
}
