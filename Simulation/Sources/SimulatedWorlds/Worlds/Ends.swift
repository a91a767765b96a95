import UV
import UVSimulation

/// Both sides end at the same time, in any of many ways. Each waiter is notified once, and what was ended
/// in order arrives.
func ends(_ world: World, _ ledger: Ledger, _ transport: Transport) throws {
  let sums = [Shared(0), Shared(0)], goals = [Shared<Int?>(nil), Shared<Int?>(nil)]
  let isRude = world.random(below: 2) == 0
  ledger.atEnd {
    for side in 0..<2 {
      guard let goal = goals[side].value else { continue }
      try expect(sums[1 - side].value == goal, "\(sums[1 - side].value) bytes of \(goal) have come")
    }
  }
  transport.build(world, clients: 1) { loop, stream, _ in
    try await stream.write(Bytes("!")).value
    try await end(stream, sum: sums[0], goal: goals[0], isRude: isRude, ledger)
  } client: { loop, _ in
    let stream: ByteStream
    do throws(UVError) { stream = try await transport.connect(loop) } catch {
      // A rude server may have gone before a client whose loop was held up has its connection.
      if isRude, error.code == .connectionRefused || error.code == .connectionReset { return }
      throw error
    }
    do throws(UVError) { _ = try await stream.read(exactly: 1).value } catch { if !isRude { throw error } }
    try await end(stream, sum: sums[1], goal: goals[1], isRude: isRude, ledger)
  }
}

/// Writes, reads and ends a stream.
///
/// - Parameter isRude: Whether a side may close before it has read everything. Then nothing is certain to
///   arrive.
private nonisolated(nonsending) func end(
  _ stream: ByteStream, sum: Shared<Int>, goal: Shared<Int?>, isRude: Bool, _ ledger: Ledger
) async throws {
  let loop = stream.loop
  try await loop.dawdle()
  var count = 0
  for part in 0..<loop.draw(6) {
    let bytes = message(part, loop.draw(loop.isDrawn(oneIn: 2) ? 100 : 40_000))
    count += bytes.count
    stream.write(
      loop.isDrawn(oneIn: 2) ? [bytes] : Records.divide(bytes, on: loop),
      ledger.ask("write") { result in
        if !isRude, case .failure(let error) = result { ledger.complain("write: \(error)") }
      })
    if loop.isDrawn(oneIn: 4) { try await loop.dawdle() }
  }
  if isRude, loop.isDrawn(oneIn: 2) { return rudeEnd(stream, ledger) }
  // In order: the end of writing, and then the peer's.
  if !isRude { goal.value = count }
  let (isPatient, isNotified) = (loop.isDrawn(oneIn: 2), Shared(false))
  let ended: Completion<Void> = ledger.ask("shutdown") { result in
    isNotified.value = true
    if !isRude, isPatient, case .failure(let error) = result { ledger.complain("shutdown: \(error)") }
  }
  let pending = stream.shutdown(ended)
  if !isPatient { loop.sleep(for: .microseconds(Int64(loop.draw(2000)))) { _ in pending.cancel() } }
  stream.write(
    Bytes("late"),
    ledger.ask("late write") { result in
      if case .success = result { ledger.complain("a write after the end was taken") }
    })
  stream.shutdown(
    ledger.ask("second shutdown") { result in
      if case .success = result { ledger.complain("a second end was taken") }
    })
  do throws(UVError) {
    for try await bytes in stream { sum.value += bytes.count }
  } catch {
    if !isRude { throw error }
    // A later caller gets the same.
    stream.next(
      ledger.ask("read after an error") { result in
        if case .success(nil) = result { ledger.complain("a stream that broke has ended without an error") }
      })
  }
  // Let go: the shutdown has been asked for, and goes on by itself.
  if loop.isDrawn(oneIn: 2) { return }
  if isRude {
    stream.close(ledger.ask("close"))
    return
  }
  if !isPatient { return }
  while !isNotified.value { try await loop.sleep(for: .milliseconds(10)).value }
  try expect(stream.writeQueueSize == 0, "bytes are left after a shutdown")
  try await stream.drain().value
  stream.close(ledger.ask("close"))
}

private func rudeEnd(_ stream: ByteStream, _ ledger: Ledger) {
  let loop = stream.loop
  stream.next(ledger.ask("read before a close"))
  stream.drain(ledger.ask("drain before a close"))
  switch loop.draw(4) {
  case 0: stream.close(ledger.ask("close"))
  case 1:
    if let stream = stream as? TCPConnection {
      stream.closeReset(ledger.ask("reset"))
    } else {
      stream.close()
    }
  case 2:
    stream.shutdown(ledger.ask("shutdown before a close"))
    stream.close(ledger.ask("close"))
  default:
    loop.sleep(for: .microseconds(Int64(loop.draw(20_000)))) { _ in
      stream.close(ledger.ask("close"))
      stream.close(ledger.ask("second close"))
      stream.write(
        Bytes("late"),
        ledger.ask("write after a close") { result in
          if case .success = result { ledger.complain("a write after a close was taken") }
        })
      stream.next(ledger.ask("read after a close"))
    }
  }
}
