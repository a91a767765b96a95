import UV
import UVSimulation
import UVTLS

/// A plain conversation with timeouts that goes on encrypted, and whose peer then takes nothing any more, or
/// says nothing. The timeouts go on with the encrypted stream: none is early, and each waiter hears once.
func upgrades(_ world: World, _ ledger: Ledger) throws {
  let isReading = world.random(below: 2) == 0
  let limit = Duration.milliseconds(Int64(4000 + world.random(below: 15_000)))
  let silence = limit * 6 + .seconds(120)
  world.node("server") { loop in
    let context = try Certificates.server(loop)
    let listener = try loop.tcp.listen(port: 7)
    let plain = try await listener.accept().value
    listener.close()
    do {
      try expect(try await plain.readLine(limit: 100).value == Bytes("STARTTLS"), "another beginning")
      try await plain.write(Bytes("OK\n")).value
      let stream = try await loop.tls.secure(plain, context, handshakeTimeout: .seconds(3600)).value
      defer { stream.close() }
      try await stream.write(Bytes("!")).value
      try await loop.sleep(for: silence).value
      while try await stream.next().value != nil {}
    } catch let error as UVError {
      try expect(error.code != .invalidArgument, "\(error)")
      plain.close()
    }
  }
  world.node("client") { loop in
    let context = try Certificates.client(loop)
    let plain = try await Transport.tcp.connect(loop)
    let isEarly = loop.isDrawn(oneIn: 2)
    func set(_ stream: ByteStream) {
      if isReading { stream.readTimeout = limit } else { stream.writeTimeout = limit }
    }
    if isEarly { set(plain) }
    if isEarly, loop.isDrawn(oneIn: 2) { plain.totalTimeout = .seconds(100_000) }
    let last = Shared(loop.clock.now)
    let isSecured = Shared(false)
    do throws(UVError) {
      plain.write(Bytes("STARTTLS\n"), ledger.ask("write"))
      guard try await plain.readLine(limit: 100).value != nil else {
        throw UVError(.endOfFile, operation: "read")
      }
      let stream = try await loop.tls.secure(plain, context, host: "server", handshakeTimeout: .seconds(3600))
        .value
      isSecured.value = true
      defer { stream.close() }
      if !isEarly { set(stream) }
      if (isReading ? stream.readTimeout : stream.writeTimeout) != limit {
        ledger.complain("the timeout is lost")
      }
      last.value = loop.clock.now
      _ = try await stream.read(exactly: 1).value
      last.value = loop.clock.now
      if isReading {
        loop.block(for: .milliseconds(300))
        last.value = loop.clock.now
        _ = try await stream.next().value
      } else {
        stream.drain(ledger.ask("drain"))
        stream.next(ledger.ask("read"))
        while true {
          if loop.isDrawn(oneIn: 3) { loop.block(for: .milliseconds(100)) }
          last.value = loop.clock.now
          stream.write(message(1, loop.draw(20_000)), ledger.ask("write beside"))
          try await stream.write(Records.divide(message(2, 60_000), on: loop)).value
        }
      }
      throw UVError(.endOfFile, operation: "no timeout")
    } catch {
      // The handshake itself may take too long.
      try expect(error.code == .timedOut, "another error: \(error)")
      let time = last.value.duration(to: loop.clock.now)
      try expect(!isSecured.value || time >= limit, "the timeout \(limit) came after \(time)")
      plain.close()
    }
  }
}
