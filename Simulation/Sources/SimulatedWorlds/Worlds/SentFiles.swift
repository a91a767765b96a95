import UV
import UVSimulation

/// Bytes that no part of a file has.
private func mark(_ number: Int) -> Bytes { Bytes([UInt8](repeating: UInt8(200 + number), count: 16)) }

/// A file each place of which can be recognized.
private func content(_ count: Int) -> Bytes {
  Bytes((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 7) & 127 })
}

/// What was sent: parts of a file, each followed by a mark. One that was cancelled may have come in part.
// Sound: one thread of a world runs at a time.
private final class SentParts: @unchecked Sendable {
  var parts: [(part: Bytes, isWhole: Bool)] = []

  func check(_ bytes: Bytes) throws {
    var rest = bytes[...]
    for (number, (part, isWhole)) in parts.enumerated() {
      var count = 0
      while count < part.count, count < rest.count,
        rest[rest.startIndex + count] == part[part.startIndex + count]
      { count += 1 }
      try expect(!isWhole || count == part.count, "part \(number): \(count) bytes of \(part.count)")
      rest = rest.dropFirst(count)
      try expect(Bytes(rest.prefix(16)) == mark(number), "part \(number): other bytes after \(count)")
      rest = rest.dropFirst(16)
    }
    try expect(rest.isEmpty, "\(rest.count) bytes more than were sent")
  }
}

/// Sends parts of a file, of which some are cancelled at any time. Each is followed by a mark.
private nonisolated(nonsending) func send(
  _ parts: SentParts, to stream: ByteStream, _ ledger: Ledger, _ path: String
) async throws {
  let loop = stream.loop
  let whole = content(200_000)
  try await loop.files.writeFile(path, whole).value
  let file = try await loop.files.open(path).value
  for number in 0..<6 {
    let (from, count) = (loop.draw(whole.count), 1 + loop.draw(120_000))
    let part = Bytes(whole[(whole.startIndex + from)...].prefix(count))
    let outcome = Shared<Result<Int, UVError>?>(nil)
    let sending = Request<Int>(loop) { done in
      stream.sendfile(file, from: Int64(from), count: count, done)
    }
    let answered = Request<Void>(loop) { done in
      let pending = sending.start(
        ledger.ask("part \(number)") { result in
          outcome.value = result
          done(.success(()))
        })
      if loop.isDrawn(oneIn: 2) { loop.cancel(pending) }
      return PendingRequest()
    }
    let marked: Completion<Void> = ledger.ask("mark \(number)") { result in
      if case .failure(let error) = result { ledger.complain("mark \(number): \(error)") }
    }
    let isEarly = loop.isDrawn(oneIn: 2)
    if isEarly {
      // It waits for the file. The request has begun, because the task that awaits it runs first.
      let waiting = loop.spawn { () async throws(UVError) in try await answered.value }
      try await loop.sleep(for: .zero).value
      stream.write(mark(number), marked)
      try await waiting.value
    } else {
      try await answered.value
      stream.write(mark(number), marked)
    }
    switch outcome.value! {
    case .success(let sent):
      try expect(sent == part.count, "part \(number): \(sent) bytes in place of \(part.count)")
      parts.parts.append((part, true))
    case .failure(let error):
      try expect(error.isCancelled, "part \(number): \(error)")
      parts.parts.append((part, false))
    }
    try await stream.drain().value
  }
  try await file.close().value
}

/// Files that are sent, some of them cancelled on their way, to a connection.
func sentFiles(_ world: World, _ ledger: Ledger, _ transport: Transport) throws {
  let parts = SentParts()
  transport.build(world, clients: 1) { loop, stream, _ in
    try await stream.write(Bytes("!")).value
    var bytes = BytesBuilder()
    for try await more in stream {
      bytes.append(more)
      if loop.isDrawn(oneIn: 10) { try await loop.dawdle() }
    }
    try parts.check(bytes.takeBytes())
    try await stream.shutdown().value
    stream.close()
  } client: { loop, _ in
    let stream = try await transport.connect(loop)
    _ = try await stream.read(exactly: 1).value
    try await send(parts, to: stream, ledger, "/tmp/content")
    try await stream.shutdown().value
    try expect(try await stream.next().value == nil, "no end")
    stream.close()
  }
}

/// The same to pipes and pairs of sockets of one loop.
func pipedFiles(_ world: World, _ ledger: Ledger) throws {
  world.node("a") { loop in
    let parts = SentParts()
    let (reading, writing) =
      loop.isDrawn(oneIn: 2) ? try loop.pipes.pair() : try loop.pipes.socketPair()
    let reader = loop.spawn { () async throws in
      var bytes = BytesBuilder()
      for try await more in reading {
        bytes.append(more)
        if loop.isDrawn(oneIn: 10) { try await loop.dawdle() }
      }
      try parts.check(bytes.takeBytes())
      reading.close()
    }
    try await send(parts, to: writing, ledger, "/tmp/content")
    writing.close(ledger.ask("close"))
    try await reader.value
  }
}
