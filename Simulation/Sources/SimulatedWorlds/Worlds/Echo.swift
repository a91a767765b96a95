import UV
import UVSimulation

/// An echo in several styles. Each byte comes back once, in order.
func echo(_ world: World, _ ledger: Ledger, _ transport: Transport) throws {
  transport.build(world, clients: 2) { loop, stream, number in
    switch loop.draw(4) {
    case 0:
      // In two writes of one callback.
      let ended = Request<Void>(loop) { done in
        stream.start { result in
          guard case .success(let bytes?) = result else { return done(result.map { _ in }) }
          let half = bytes.startIndex + bytes.count / 2
          stream.write(Bytes(bytes[..<half]), ledger.ask("first half"))
          stream.write(Bytes(bytes[half...]), ledger.ask("second half"))
        }
        return PendingRequest()
      }
      try await ended.value
    case 1: for try await bytes in stream { try await stream.write(bytes).value }
    case 2:
      for try await bytes in stream {
        try await stream.write(Records.divide(bytes, on: loop)).value
      }
    default:
      for try await bytes in stream {
        stream.write(bytes, ledger.ask("echo"))
        if stream.isAboveHighWaterMark { try await stream.drain().value }
      }
    }
    try await stream.shutdown().value
    stream.close()
  } client: { loop, number in
    let stream = try await transport.connect(loop)
    for round in 1...4 {
      let parts = [
        message(round, loop.draw(3000)), message(round + 1, 3), message(round + 2, loop.draw(60_000)),
      ]
      let isOneWrite = loop.isDrawn(oneIn: 2)
      let writing = loop.spawn { () async throws(UVError) in
        if isOneWrite { return try await stream.write(parts).value }
        for part in parts { try await stream.write(part).value }
      }
      for part in parts {
        let answer = try await stream.read(exactly: part.count).value
        try expect(answer == part, "round \(round): other bytes came back")
      }
      try await writing.value
    }
    try await stream.shutdown().value
    try expect(try await stream.next().value == nil, "more than was sent came back")
    stream.close()
  }
}
