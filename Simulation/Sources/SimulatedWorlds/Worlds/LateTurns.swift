import Glibc
import UV
import UVSimulation

/// Timeouts of a stream whose program computes in the turns in which it reads and writes. None is early by
/// the clock: a wait begins when the program has begun it, or when the last bytes were seen.
func lateTurns(_ world: World, _ ledger: Ledger, _ transport: Transport) throws {
  let kind = world.random(below: 3)
  let limit = Duration.milliseconds(Int64(3000 + world.random(below: 5000)))
  transport.build(world, clients: 1) { loop, stream, _ in
    try await stream.write(Bytes("!")).value
    do throws(UVError) {
      if kind == 2 {
        // Some is read, and then nothing.
        for _ in 0..<loop.draw(6) { _ = try await stream.next().value }
      } else {
        for round in 0..<(1 + loop.draw(12)) {
          try await stream.write(message(round, 1 + loop.draw(2000))).value
          try await loop.sleep(for: limit * loop.draw(9) / 12).value
        }
      }
      try await loop.sleep(for: limit * 5).value
      while try await stream.next().value != nil {}
    } catch {}
    stream.close()
  } client: { loop, _ in
    let stream = try await transport.connect(loop)
    _ = try await stream.read(exactly: 1).value
    let isIdle = loop.isDrawn(oneIn: 2)
    let last = Shared(loop.clock.now)
    if isIdle {
      stream.idleTimeout = limit
    } else if kind == 2 {
      stream.writeTimeout = limit
    } else {
      stream.readTimeout = limit
    }
    do throws(UVError) {
      if kind == 2 {
        try await writeLate(stream, last, ledger)
      } else {
        try await readLate(stream, last, ledger, answers: isIdle)
      }
      ledger.complain("no timeout")
    } catch {
      try expect(error.code == .timedOut, "another error: \(error)")
      let time = last.value.duration(to: loop.clock.now)
      try expect(time >= limit, "the timeout \(limit) came after \(time)")
    }
    stream.close()
  }
}

extension EventLoop {
  /// Computes, now and then for longer than a turn usually takes.
  fileprivate func compute() {
    if isDrawn(oneIn: 2) { block(for: .milliseconds([1, 20, 900][draw(3)])) }
  }
}

/// Reads in one of three styles until an error ends it, and notes when the program has seen the last bytes.
private nonisolated(nonsending) func readLate(
  _ stream: ByteStream, _ last: Shared<LoopClock.Instant>, _ ledger: Ledger, answers: Bool
) async throws(UVError) {
  let loop = stream.loop
  func take() {
    loop.compute()
    if answers, loop.isDrawn(oneIn: 2) { stream.write(message(1, loop.draw(100)), ledger.ask("answer")) }
    loop.compute()
    last.value = loop.clock.now
  }
  switch loop.draw(3) {
  case 0:
    let ended = Request<Void>(loop) { done in
      stream.start { result in
        switch result {
        case .success(let bytes?) where !bytes.isEmpty: take()
        case .success: done(.success(()))
        case .failure(let error): done(.failure(error))
        }
      }
      return PendingRequest()
    }
    try await ended.value
  case 1:
    while try await stream.next().value != nil {
      take()
      if loop.isDrawn(oneIn: 3) { try await loop.sleep(for: .milliseconds(Int64(loop.draw(3)))).value }
      loop.compute()
      last.value = loop.clock.now
    }
  default:
    let ended = Request<Void>(loop) { done in
      func ask() {
        last.value = loop.clock.now
        stream.next { result in
          switch result {
          case .success(.some):
            take()
            ask()
          case .success(nil): done(.success(()))
          case .failure(let error): done(.failure(error))
          }
        }
      }
      ask()
      return PendingRequest()
    }
    try await ended.value
  }
}

/// Writes until an error ends it, and notes when the last write began.
private nonisolated(nonsending) func writeLate(
  _ stream: ByteStream, _ last: Shared<LoopClock.Instant>, _ ledger: Ledger
) async throws(UVError) {
  let loop = stream.loop
  while true {
    loop.compute()
    let bytes = message(1, 30_000 + loop.draw(90_000))
    last.value = loop.clock.now
    if loop.isDrawn(oneIn: 2) {
      try await stream.write(Records.divide(bytes, on: loop)).value
    } else {
      let written = Request<Void>(loop) { done in
        stream.write(
          bytes,
          ledger.ask("write") { result in
            loop.compute()
            guard case .success = result else { return done(result) }
            last.value = loop.clock.now
            stream.write(bytes, ledger.ask("write behind", done))
          })
        return PendingRequest()
      }
      try await written.value
    }
    if loop.isDrawn(oneIn: 3) { try await loop.sleep(for: .zero).value }
  }
}
