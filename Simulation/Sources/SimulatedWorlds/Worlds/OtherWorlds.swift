import Glibc
import UV
import UVSimulation

let otherWorlds = [
  HuntedWorld("closes", closes), HuntedWorld("pressure", pressure), HuntedWorld("handover", handover),
]

/// What was said to be written before a close arrives. If the system takes whole writes, all of them do.
private func closes(_ world: World, _ ledger: Ledger) throws {
  let (received, reported) = (Shared(0), Shared(0))
  let takesAll = world.weather.cut == 0 && world.weather.refusal == 0
  ledger.atEnd {
    try expect(received.value >= reported.value, "\(received.value) bytes have arrived of \(reported.value)")
    if takesAll { try expect(received.value == 6300, "\(received.value) bytes of 6300 have arrived") }
  }
  world.node("server") { loop in
    let listener = try loop.tcp.listen(port: 7)
    let connection = try await listener.accept().value
    listener.close()
    do { for try await bytes in connection { received.value += bytes.count } } catch {}
    connection.close()
  }
  world.node("client") { loop in
    let connection = try await Transport.tcp.connect(loop)
    for part in 1...6 {
      let bytes = message(part, part * 300)
      let done: Completion<Void> = ledger.ask("write \(part)") {
        if case .success = $0 { reported.value += part * 300 }
      }
      if loop.isDrawn(oneIn: 2) {
        connection.write(bytes, done)
      } else {
        connection.write([bytes, Bytes()], done)
      }
    }
    connection.close(ledger.ask("close"))
  }
}

/// A writer that heeds the high-water mark holds a bounded number of bytes, and goes on once there is room.
private func pressure(_ world: World, _ ledger: Ledger) throws {
  let transport: Transport = world.random(below: 2) == 0 ? .tls : .tcp
  let (goal, received) = (Shared(0), Shared(0))
  ledger.atEnd {
    try expect(received.value == goal.value, "\(received.value) bytes of \(goal.value) have come")
  }
  transport.build(world, clients: 1) { loop, stream, _ in
    try await stream.write(Bytes("!")).value
    try await loop.sleep(for: .seconds(loop.draw(5))).value
    for try await bytes in stream {
      received.value += bytes.count
      if loop.isDrawn(oneIn: 20) { try await loop.sleep(for: .milliseconds(Int64(loop.draw(2000)))).value }
    }
    try await stream.shutdown().value
    stream.close()
  } client: { loop, _ in
    let stream = try await transport.connect(loop)
    _ = try await stream.read(exactly: 1).value
    let mark = 1 + loop.draw(60_000)
    stream.highWaterMark = mark
    var drains = 0
    for number in 0..<60 {
      let bytes = message(number, loop.draw(20_000))
      goal.value += bytes.count
      stream.write(
        bytes, ledger.ask("write") { if case .failure(let error) = $0 { ledger.complain("write: \(error)") } }
      )
      if stream.isAboveHighWaterMark {
        drains += 1
        if loop.isDrawn(oneIn: 4) {
          let pending = stream.drain(ledger.ask("a cancelled drain"))
          loop.queueMicrotask { pending.cancel() }
        }
        stream.drain(ledger.ask("a second drain"))
        try await stream.drain().value
        try expect(!stream.isAboveHighWaterMark, "above the mark after a drain")
        try expect(stream.writeQueueSize == 0, "\(stream.writeQueueSize) bytes are left after a drain")
      }
    }
    try await stream.shutdown().value
    try expect(try await stream.next().value == nil, "no end")
    stream.close()
  }
}

/// Connections that are accepted on one loop and go on on another.
private func handover(_ world: World, _ ledger: Ledger) throws {
  let over = Shared(0)
  world.node("server") { loop in
    let group = try EventLoopGroup(count: 2)
    let listener = try loop.tcp.listen(port: 7)
    for _ in 0..<4 {
      let connection = try await listener.accept().value
      // The other loop gets a descriptor of its own.
      let descriptor = dup(try connection.fileDescriptor())
      connection.close()
      try await group.next().submit { (other) throws(UVError) in
        let moved = try other.tcp.open(fileDescriptor: descriptor)
        _ = other.spawn {
          do throws(UVError) {
            for try await bytes in moved { try await moved.write(bytes).value }
            try await moved.shutdown().value
          } catch { ledger.complain("\(error)") }
          moved.close()
          over.value += 1
        }
      }
    }
    listener.close()
    while over.value < 4 { try await loop.sleep(for: .milliseconds(20)).value }
    _ = await group.shutdownGracefully(within: .seconds(1))
  }
  for client in 0..<2 {
    world.node("client \(client)") { loop in
      for _ in 0..<2 {
        let connection = try await Transport.tcp.connect(loop)
        let bytes = message(client, 1 + loop.draw(60_000))
        let writing = loop.spawn { () async throws(UVError) in try await connection.write(bytes).value }
        try expect(try await connection.read(exactly: bytes.count).value == bytes, "other bytes")
        try await writing.value
        try await connection.shutdown().value
        try expect(try await connection.next().value == nil, "no end")
        connection.close()
      }
    }
  }
}
