import UV
import UVSimulation

/// Frames of several kinds, which come in pieces of any size. Readers that give up take nothing away.
func frames(_ world: World, _ ledger: Ledger, _ transport: Transport) throws {
  let script = Shared<[(kind: Int, content: Bytes)]>([])
  transport.build(world, clients: 1) { loop, stream, _ in
    var all = BytesBuilder()
    var contents: [(kind: Int, content: Bytes)] = []
    for number in 0..<20 {
      let kind = loop.draw(4)
      let count = loop.draw([5, 100, 20_000][loop.draw(3)])
      // No content has a line feed.
      let content = Bytes(message(number, count).lazy.map { $0 == 10 ? 11 : $0 == 13 ? 12 : $0 })
      if kind == 0 { all.append(bigEndian: UInt32(count)) }
      all.append(content)
      if kind == 1 { all.append(loop.isDrawn(oneIn: 2) ? "\n" : "\r\n") }
      if kind == 2 { all.append("\r\n\r\n") }
      contents.append((kind, content))
    }
    script.value = contents
    try await stream.write(Bytes("!")).value
    var rest = all.takeBytes()[...]
    while !rest.isEmpty {
      let part = rest.prefix(1 + loop.draw([3, 3000, 100_000][loop.draw(3)]))
      rest = rest.dropFirst(part.count)
      if loop.isDrawn(oneIn: 2) {
        try await stream.write(Bytes(part)).value
      } else {
        stream.write(Bytes(part), ledger.ask("a part"))
      }
      if loop.isDrawn(oneIn: 8) { try await loop.dawdle() }
    }
    try await stream.shutdown().value
    try expect(try await stream.next().value == nil, "the reader has sent something")
    stream.close()
  } client: { loop, _ in
    let stream = try await transport.connect(loop)
    try expect(try await stream.read(exactly: 1).value == Bytes("!"), "no beginning")
    if loop.isDrawn(oneIn: 3) {
      try await readAtOnce(stream, script.value, ledger)
    } else {
      for (number, frame) in script.value.enumerated() {
        let bytes = try await read(frame.kind, frame.content.count, from: stream)
        try expect(bytes == frame.content, "frame \(number) of kind \(frame.kind) is another one")
      }
    }
    try expect(try await stream.readLine(limit: 10).value == nil, "a frame more")
    try expect(try await stream.read(exactly: 3).value == nil, "a frame more")
    try await stream.shutdown().value
    stream.close()
  }
}

/// Reads a frame. A try that is cancelled, too late or too small comes before it now and then.
private nonisolated(nonsending) func read(
  _ kind: Int, _ count: Int, from stream: ByteStream
) async throws -> Bytes? {
  let loop = stream.loop
  func request() -> Request<Bytes?> {
    switch kind {
    case 1: stream.readLine(limit: count)
    case 2: stream.read(until: "\r\n\r\n", limit: count)
    default: stream.read(exactly: count)
    }
  }
  var length: Bytes?
  if kind == 0 {
    length = try await stream.peek(exactly: 4).value
    try expect(try await stream.read(exactly: 4).value == length, "a look has changed what is read")
    try expect(length!.bigEndian(UInt32.self) == UInt32(count), "another length")
  }
  switch loop.draw(6) {
  case 0:
    do throws(UVError) {
      return try await request().timeout(after: .microseconds(Int64(loop.draw(20_000)))).value
    } catch { if error.code != .timedOut { throw error } }
  case 1:
    let task = loop.spawn { () async throws(UVError) in try await request().value }
    loop.sleep(for: .microseconds(Int64(loop.draw(20_000)))) { _ in task.cancel() }
    do throws(UVError) { return try await task.value } catch { if !error.isCancelled { throw error } }
  case 2:
    if kind == 1, count > 0 {
      do throws(UVError) {
        _ = try await stream.readLine(limit: count - 1).value
        throw UVError(.invalidArgument, operation: "a line was too long, and has come")
      } catch { if error.code != .messageTooLong { throw error } }
    }
  case 3:
    switch kind {
    case 1: if let line = try stream.tryReadLine(limit: count) { return line }
    case 2: if let bytes = try stream.tryRead(until: "\r\n\r\n", limit: count) { return bytes }
    default: if let bytes = try stream.tryRead(exactly: count) { return bytes }
    }
  default: break
  }
  return try await request().value
}

/// Asks for all frames before the first has come. The answers come in order, one for each.
private nonisolated(nonsending) func readAtOnce(
  _ stream: ByteStream, _ script: [(kind: Int, content: Bytes)], _ ledger: Ledger
) async throws {
  let loop = stream.loop
  let ended = Shared(0)
  for (number, frame) in script.enumerated() {
    let count = frame.content.count
    if frame.kind == 0 { stream.read(exactly: 4, ledger.ask("length \(number)")) }
    let done: Completion<Bytes?> = ledger.ask("frame \(number)") { result in
      if ended.value != number { ledger.complain("frame \(number) is answered after \(ended.value) others") }
      ended.value += 1
      if (try? result.get()) != frame.content { ledger.complain("frame \(number): \(result)") }
    }
    switch frame.kind {
    case 1: stream.readLine(limit: count, done)
    case 2: stream.read(until: "\r\n\r\n", limit: count, done)
    default: stream.read(exactly: count, done)
    }
    // One that gives up in the middle of the line of readers.
    if loop.isDrawn(oneIn: 3) {
      let pending = stream.read(
        exactly: 1,
        ledger.ask("a cancelled reader") { result in
          if case .success = result { ledger.complain("a cancelled reader has got \(result)") }
        })
      pending.cancel()
    }
  }
  while ended.value < script.count { try await loop.sleep(for: .milliseconds(20)).value }
}
