import UV
import UVSimulation

/// Clients send questions one after the other, each a frame, while their server ends. It answers the first ones, whole and
/// in order, then comes the farewell, once, and then the end. All that the server has taken is answered
/// before its farewell.
func farewellFrames(_ world: World, _ ledger: Ledger, _ transport: Transport) throws {
  let clients = 2
  let (taken, open) = (Shared(Array(repeating: 0, count: clients)), Shared(0))
  let silence = Duration.milliseconds(Int64(world.random(below: 2) * world.random(below: 600)))
  transport.build(world, clients: clients) { loop, stream, _ in
    defer { stream.close() }
    // No answer is empty.
    if loop.isDrawn(oneIn: 2) { stream.endWithServer(after: silence, farewell: Bytes([0, 0, 0, 0])) }
    guard let name = try await stream.read(exactly: 1).value else { throw Violation("no name") }
    stream.endWithServer(after: silence, farewell: Bytes([0, 0, 0, 0]))
    open.value += 1
    if open.value == clients {
      loop.sleep(for: .milliseconds(Int64(loop.draw(3000)))) { _ in
        loop.shutdownGracefully(within: .seconds(3600), ledger.ask("shutdown"))
      }
    }
    do {
      while let header = try await stream.read(exactly: 4).value {
        guard let question = try await stream.read(exactly: Int(header.bigEndian(UInt32.self))).value else {
          break
        }
        taken.value[Int(name[0])] += 1
        if loop.isDrawn(oneIn: 3) { try await loop.dawdle() }
        let answer = Records.divide(question, on: loop)
        if loop.isDrawn(oneIn: 2) {
          try await stream.write([header] + answer).value
        } else {
          stream.write([header] + answer, ledger.ask("answer"))
        }
      }
      try await stream.shutdown().value
    } catch is UVError {}
  } client: { loop, number in
    let stream = try await transport.connect(loop)
    defer { stream.close() }
    try await stream.write(Bytes([UInt8(number)])).value
    var hasEnded = false
    let asking = loop.spawn { () async throws(UVError) in
      for round in 0..<60 {
        let question = message(round, 1 + loop.draw([10, 500, 30_000][loop.draw(3)]))
        var header = BytesBuilder()
        header.append(bigEndian: UInt32(question.count))
        try await stream.write([header.takeBytes()] + Records.divide(question, on: loop)).value
        if loop.isDrawn(oneIn: 4) { try await loop.dawdle() }
      }
      hasEnded = true
      try await stream.shutdown().value
    }
    var answered = 0
    do {
      while let header = try await stream.read(exactly: 4).value {
        let count = Int(header.bigEndian(UInt32.self))
        if count == 0 {
          try expect(
            answered == taken.value[number], "\(answered) answers to \(taken.value[number]) questions")
          try expect(try await stream.next().value == nil, "bytes after the farewell")
          hasEnded = true
          break
        }
        let answer = try await stream.read(exactly: count).value
        try expect(answer == message(answered, count), "another answer to \(answered)")
        answered += 1
        if loop.isDrawn(oneIn: 8) { try await loop.dawdle() }
      }
      try expect(hasEnded, "an end without a farewell after \(answered) answers")
    } catch is UVError {}
    asking.cancel()
    do { try await asking.value } catch {}
  }
}
