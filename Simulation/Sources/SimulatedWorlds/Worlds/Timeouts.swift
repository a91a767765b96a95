import UV
import UVSimulation

/// The timeouts of a stream. None is early, and each notifies all waiters.
func timeouts(_ world: World, _ ledger: Ledger, _ transport: Transport) throws {
  let kind = world.random(below: 4)
  let limit = Duration.milliseconds(Int64(3000 + world.random(below: 20_000)))
  transport.build(world, clients: 1) { loop, stream, _ in
    try await stream.write(Bytes("!")).value
    switch kind {
    case 0, 1:
      // Silence, and then bytes.
      try await loop.sleep(for: limit * 4).value
      try await stream.write(message(1, 3000)).value
    case 2:
      // A byte now and then.
      do throws(UVError) {
        for _ in 0..<20 {
          try await loop.sleep(for: limit / 4).value
          try await stream.write(Bytes("x")).value
        }
      } catch {}
    default:
      // Nothing is read.
      try await loop.sleep(for: limit * 4).value
    }
    do throws(UVError) { while try await stream.next().value != nil {} } catch {}
    stream.close()
  } client: { loop, _ in
    let stream = try await transport.connect(loop)
    _ = try await stream.read(exactly: 1).value
    let start = loop.clock.now
    func expectTimeout(_ error: UVError, since start: LoopClock.Instant) throws {
      try expect(error.code == .timedOut, "another error: \(error)")
      let time = start.duration(to: loop.clock.now)
      try expect(time >= limit, "the timeout \(limit) came after \(time)")
      try expect(time <= limit * 2, "the timeout \(limit) came after \(time)")
    }
    switch kind {
    case 0, 1:
      if kind == 0 { stream.readTimeout = limit } else { stream.idleTimeout = limit }
      let other = loop.spawn { () async throws(UVError) in try await stream.next().value }
      do throws(UVError) {
        _ = try await stream.read(exactly: 3000).value
        throw UVError(.invalidArgument, operation: "bytes")
      } catch { try expectTimeout(error, since: start) }
      do throws(UVError) {
        _ = try await other.value
        throw UVError(.invalidArgument, operation: "bytes")
      } catch { try expectTimeout(error, since: start) }
      // The stream stays as it is.
      stream.readTimeout = nil
      stream.idleTimeout = nil
      try expect(try await stream.read(exactly: 3000).value == message(1, 3000), "other bytes")
      stream.close()
    case 2:
      stream.totalTimeout = limit
      do throws(UVError) {
        while try await stream.next().value != nil {}
        throw UVError(.invalidArgument, operation: "the end")
      } catch { try expectTimeout(error, since: start) }
      stream.close()
    default:
      stream.writeTimeout = limit
      let last = Shared(loop.clock.now)
      let reading: Completion<Bytes?> = ledger.ask("read")
      stream.next(reading)
      stream.drain(ledger.ask("drain"))
      do throws(UVError) {
        while true {
          stream.write(message(1, 100_000), ledger.ask("write beside"))
          try await stream.write([message(2, 100_000), message(3, 10)]).value
          last.value = loop.clock.now
        }
      } catch { try expectTimeout(error, since: last.value) }
      do throws(UVError) {
        try await stream.write(Bytes("late")).value
        throw UVError(.invalidArgument, operation: "a late write was taken")
      } catch { try expect(error.code == .timedOut, "a late write fails with \(error)") }
      try expect(stream.isClosing, "the stream is open after its writeTimeout")
    }
  }
}
