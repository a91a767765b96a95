import UV

/// What a server that sends back what comes does with a connection, and a client that compares; each ends as
/// well as it can.
final class Echo {
  private let ledger: Ledger
  private var errors = 0

  init(_ ledger: Ledger) { self.ledger = ledger }

  func serve(_ connection: ByteStream) {
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

  /// Sends bytes by every kind of write, and compares what comes back.
  func converse(_ client: ByteStream, _ bytes: Bytes, then done: @escaping () -> Void) {
    let size = bytes.count
    var received = 0
    var isIntact = true
    func note(_ result: Result<Void, UVError>) {
      guard case .failure = result else { return }
      errors += 1
      // The server waits for the rest, which will not come.
      client.close()
    }
    func part(_ range: Range<Int>) -> Bytes { Bytes(bytes.dropFirst(range.lowerBound).prefix(range.count)) }
    client.write(part(0..<size / 3), ledger.once("write", note))
    client.write([part(size / 3..<size / 3 * 2)], ledger.once("write", note))
    let start = size / 3 * 2
    let rest = size - start
    client.write(
      (0..<8).map { part(start + rest * $0 / 8..<start + rest * ($0 + 1) / 8) },
      ledger.once("write of several", note))
    client.drain(ledger.once("drain", note))
    client.shutdown(ledger.once("shutdown", note))
    client.start { [self] result in
      if case .success(let next?) = result {
        isIntact = isIntact && next == part(received..<min(size, received + next.count))
        return received += next.count
      }
      if case .failure = result { errors += 1 }
      // Unless a caller was notified of an error, everything has come back.
      if errors == 0 {
        ledger.expect(received == size && isIntact, "\(received) of \(size) bytes came back")
      }
      client.close(ledger.once("close") { _ in done() })
    }
  }
}
