import UV
import UVSimulation
import UVTLS

/// A server whose machine crashes and comes back, stops for seconds, and is cut off, while clients talk with
/// it. Each request of a client is answered, what a conversation has answered is right, and by trying again
/// each one comes to its end.
func crashes(_ world: World, _ ledger: Ledger, _ transport: Transport) throws {
  let server = world.host("server") { loop in
    func answer(_ stream: ByteStream) async throws {
      stream.idleTimeout = .seconds(30)
      while let header = try await stream.read(exactly: 4).value {
        guard let question = try await stream.read(exactly: Int(header.bigEndian(UInt32.self))).value else {
          break
        }
        try await stream.write([header, question]).value
      }
      try await stream.shutdown().value
    }
    func serve(_ stream: ByteStream) {
      _ = loop.spawn {
        do { try await answer(stream) } catch {}
        stream.close()
      }
    }
    if transport == .tls {
      let context = try Certificates.server(loop)
      for try await stream in try loop.tls.listen(port: 7, context, handshakeTimeout: .seconds(30)) {
        serve(stream)
      }
    } else {
      for try await stream in try loop.tcp.listen(port: 7) { serve(stream) }
    }
  }
  let clients = (0..<2).map { number in
    world.node("client \(number)") { loop in
      let policy = RetryPolicy(
        attempts: 10_000, backoff: .exponential(from: .milliseconds(20), upTo: .seconds(2)).jittered())
      for round in 0..<4 {
        let attempts = Shared(0)
        if loop.isDrawn(oneIn: 2) {
          try await loop.retry(policy) {
            attempts.value += 1
            try await converse(loop, transport, number * 10 + round, ledger)
          }
        } else {
          // As a request, in another style.
          let conversation = Request<Void>(loop) { done in
            attempts.value += 1
            let noted = ledger.ask("attempt", done)
            let task = loop.spawn {
              do {
                try await converse(loop, transport, number * 10 + round, ledger)
                noted(.success(()))
              } catch let error as UVError {
                noted(.failure(error))
              } catch {
                ledger.complain("\(error)")
                noted(.success(()))
              }
            }
            return PendingRequest { task.cancel() }
          }
          let limit = Duration.seconds(40)
          try await conversation.timeout(after: limit).retry(policy).value
        }
        try expect(attempts.value > 0, "a success without an attempt")
      }
    }
  }
  world.disturb(
    [server] + clients, bouncing: [server, server], pausing: [server] + clients, every: .seconds(1),
    longest: .seconds(4))
}

private nonisolated(nonsending) func converse(
  _ loop: EventLoop, _ transport: Transport, _ number: Int, _ ledger: Ledger
) async throws {
  let stream: ByteStream
  if transport == .tls {
    stream = try await loop.tls.connect(
      host: "server", port: 7, Certificates.client(loop), handshakeTimeout: .seconds(20)
    ).value
  } else {
    stream = try await loop.tcp.connect(host: "server", port: 7).timeout(after: .seconds(20)).value
  }
  defer { stream.close(ledger.ask("close")) }
  stream.idleTimeout = .seconds(10)
  stream.writeTimeout = .seconds(8)
  for round in 0..<5 {
    let question = message(number + round, 1 + loop.draw([100, 50_000][loop.draw(2)]))
    var header = BytesBuilder()
    header.append(bigEndian: UInt32(question.count))
    stream.write(header.takeBytes(), ledger.ask("header"))
    stream.write(Records.divide(question, on: loop), ledger.ask("question"))
    if loop.isDrawn(oneIn: 4) { stream.drain(ledger.ask("drain")) }
    guard let answer = try await stream.read(exactly: 4 + question.count).value else {
      throw UVError(.endOfFile, operation: "read")
    }
    try! expect(Bytes(answer.dropFirst(4)) == question, "another answer")
    if loop.isDrawn(oneIn: 3) { try await loop.sleep(for: .milliseconds(Int64(loop.draw(3000)))).value }
  }
  try await stream.shutdown().value
}
