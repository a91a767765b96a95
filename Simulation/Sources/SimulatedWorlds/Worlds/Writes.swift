import UV
import UVSimulation

/// Writes in many styles, some of them cancelled, to a reader in one of many styles; then one of many ends.
/// Whatever was to be written arrives, whole and in order. What was cancelled arrives whole or not at all.
func writes(_ world: World, _ ledger: Ledger, _ transport: Transport) throws {
  let sender = RecordSender(ledger, "\(transport)")
  let received = Shared<RecordSender.Numbers>([:])
  let end = Shared(WritersEnd.close)
  let failure = Shared("")
  ledger.atEnd {
    do {
      if end.value != .reset { try sender.check(received.value, all: end.value != .close) }
    } catch { throw Violation("\(error) before a \(end.value), \(failure.value)") }
  }

  transport.build(world, clients: 1) { loop, stream, _ in
    // With TLS, what the server has to say itself comes before this.
    try await stream.write(Bytes("!")).value
    let reader = RecordReader()
    do {
      failure.value = "read in style \(reader.chooseStyle(loop))"
      try await reader.readAll(stream)
    } catch let error as UVError {
      failure.value += ": \(error)"
      let isCut = transport == .tls && end.value == .drained && error.code == .tlsTruncated
      try expect(
        isCut || end.value == .close || end.value == .reset, "the reader of \(end.value) has failed: \(error)"
      )
    }
    received.value = reader.received
    try expect(
      end.value == .close || end.value == .reset || reader.isBetweenRecords, "the stream ends within a record"
    )
    if end.value == .shutdown {
      try await stream.write(Bytes("\(reader.count)")).value
      try await stream.shutdown().value
    }
    stream.close()
  } client: { loop, _ in
    end.value = WritersEnd.allCases[loop.draw(WritersEnd.allCases.count)]
    if end.value == .reset, transport != .tcp { end.value = .close }
    let stream = try await transport.connect(loop)
    _ = try await stream.read(exactly: 1).value
    if loop.isDrawn(oneIn: 2) { stream.highWaterMark = loop.draw(50_000) }
    sender.mayFail = end.value == .close || end.value == .reset
    try await sender.send(4 + loop.draw(8), to: stream)
    switch end.value {
    case .close: stream.close(ledger.ask("close"))
    case .reset: (stream as! TCPConnection).closeReset(ledger.ask("close"))
    case .drained:
      try await stream.drain().value
      try expect(stream.writeQueueSize == 0, "bytes are left after a drain")
      stream.close(ledger.ask("close"))
    case .dropped:
      stream.shutdown(
        ledger.ask("shutdown") { if case .failure(let error) = $0 { ledger.complain("\(error)") } })
    case .shutdown:
      try await stream.shutdown().value
      let answer = try await stream.readToEnd(limit: 100).value
      let count = received.value.values.reduce(0) { $0 + $1.count }
      try expect(answer == Bytes("\(count)"), "another answer: \(answer)")
      stream.close(ledger.ask("close"))
    }
  }
}

/// How a writer ends.
enum WritersEnd: CaseIterable, Sendable {
  /// It closes the stream while bytes may wait.
  case close
  case reset
  /// It closes the stream once all has left.
  case drained
  /// It ends the writing side, and lets the stream go.
  case dropped
  /// It ends the writing side, and reads the answer.
  case shutdown
}
