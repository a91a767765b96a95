import UV
import UVSimulation
import UVTLS

/// A plain conversation that goes on encrypted.
func startTLS(_ world: World, _ ledger: Ledger) throws {
  world.node("server") { loop in
    let context = try Certificates.server(loop)
    let listener = try loop.tcp.listen(port: 7)
    let plain = try await listener.accept().value
    listener.close()
    try expect(try await plain.readLine(limit: 100).value == Bytes("STARTTLS"), "another beginning")
    try await plain.write(Bytes("OK\n")).value
    let stream = try await loop.tls.secure(plain, context, handshakeTimeout: .seconds(3600)).value
    for try await bytes in stream { try await stream.write([bytes, Bytes()]).value }
    try await stream.shutdown().value
    stream.close()
  }
  world.node("client") { loop in
    let context = try Certificates.client(loop)
    let plain = try await Transport.tcp.connect(loop)
    plain.write(Bytes("STARTTLS"), ledger.ask("write"))
    plain.write(Bytes("\n"), ledger.ask("write"))
    try expect(try await plain.readLine(limit: 100).value == Bytes("OK"), "another answer")
    let stream = try await loop.tls.secure(plain, context, host: "server", handshakeTimeout: .seconds(3600))
      .value
    for round in 1...4 {
      let bytes = message(round, loop.draw(50_000))
      let writing = loop.spawn { () async throws(UVError) in
        try await stream.write(Records.divide(bytes, on: loop)).value
      }
      try expect(try await stream.read(exactly: bytes.count).value == bytes, "round \(round): other bytes")
      try await writing.value
    }
    try await stream.shutdown().value
    try expect(try await stream.next().value == nil, "no end")
    stream.close()
  }
}

/// Connections that are refused, given up, or begun many at a time. Each attempt is reported once, and leaves
/// nothing open.
func connects(_ world: World, _ ledger: Ledger) throws {
  let isOver = Shared(false)
  world.node("server") { loop in
    let listener = try loop.tcp.listen(port: 7)
    let tls = try loop.tls.listen(port: 8, Certificates.server(loop), handshakeTimeout: .seconds(20))
    listener.start { if case .success(let connection?) = $0 { greet(connection) } }
    tls.start { if case .success(let connection?) = $0 { greet(connection) } }
    func greet(_ connection: ByteStream) {
      _ = loop.spawn {
        do throws(UVError) {
          try await connection.write(Bytes("hello\n")).value
          while try await connection.next().value != nil {}
        } catch {}
        connection.close()
      }
    }
    while !isOver.value { try await loop.sleep(for: .milliseconds(50)).value }
    listener.close()
    tls.close()
  }
  world.node("client") { loop in
    try await loop.sleep(for: .milliseconds(10)).value
    let context = try Certificates.client(loop)
    var left = 12
    func settle(_ result: Result<ByteStream, UVError>, _ port: Int) {
      guard case .success(let stream) = result else {
        left -= 1
        return
      }
      if port == 9 { ledger.complain("a connection to nobody") }
      stream.readLine(
        limit: 10,
        ledger.ask("greeting") { result in
          if (try? result.get()) != Bytes("hello") { ledger.complain("a greeting: \(result)") }
          stream.close()
          left -= 1
        })
    }
    for number in 0..<12 {
      let port = 7 + number % 3
      let pending: PendingRequest
      if port == 8 {
        pending = loop.tls.connect(
          host: "server", port: 8, context, handshakeTimeout: .seconds(60),
          ledger.ask("TLS \(number)") { settle($0.map { $0 }, port) })
      } else if loop.isDrawn(oneIn: 3) {
        pending = loop.tcp.connect(host: "server", port: port).timeout(
          after: .milliseconds(Int64(loop.draw(600)))
        )
        .start(ledger.ask("TCP \(number)") { settle($0.map { $0 }, port) })
      } else {
        pending = loop.tcp.connect(
          host: "server", port: port, ledger.ask("TCP \(number)") { settle($0.map { $0 }, port) })
      }
      if loop.isDrawn(oneIn: 3) {
        loop.sleep(for: .microseconds(Int64(loop.draw(800_000)))) { _ in pending.cancel() }
      }
    }
    while left > 0 { try await loop.sleep(for: .milliseconds(50)).timeout(after: .seconds(4000)).value }
    isOver.value = true
  }
}
