import UV

/// A server that sends back what comes, and clients that compare; each ends as well as it can.
final class SocketWork {
  private let loop: EventLoop
  private let ledger: Ledger
  private var listener: TCPListener?
  private var clients = 0
  private var errors = 0

  private static let pattern = Bytes((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) })

  init(_ loop: EventLoop, _ ledger: Ledger) {
    self.loop = loop
    self.ledger = ledger
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

  private func converse(_ result: Result<TCPConnection, UVError>, _ size: Int) {
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
    client.write(Bytes(bytes.prefix(size / 3)), ledger.once("write", note))
    client.write([Bytes(bytes.dropFirst(size / 3).prefix(size / 3))], ledger.once("write", note))
    let rest = Bytes(bytes.dropFirst(size / 3 * 2))
    client.write(
      (0..<8).map { part in
        Bytes(
          rest.dropFirst(rest.count * part / 8).prefix(rest.count * (part + 1) / 8 - rest.count * part / 8))
      }, ledger.once("write of several", note))
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
    if clients == 0 { listener?.close(ledger.once("listener's close")) }
  }
}
