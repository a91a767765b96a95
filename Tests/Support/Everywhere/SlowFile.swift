import Testing
public import UV

/// A timeout that counts while a write waits for room, and rests while a file is read.
public enum FileTimeout: CaseIterable, Sendable {
  case write, idle, total

  fileprivate func set(_ limit: Duration, on stream: ByteStream) {
    switch self {
    case .write: stream.writeTimeout = limit
    case .idle: stream.idleTimeout = limit
    case .total: stream.totalTimeout = limit
    }
  }
}

/// Sends a file while the pool has no thread to read it, for longer than a timeout of the sender is. The peer
/// takes everything, so it is to get the file whole.
public nonisolated(nonsending) func sendSlowFile(
  from server: ByteStream, to client: ByteStream, whileReading isReading: Bool, _ timeout: FileTimeout
) async throws {
  let loop = server.loop
  let limit = Duration.milliseconds(200)
  try await withTemporaryDirectory { directory in
    let bytes = Bytes(repeating: 7, count: 200_000)
    try await loop.files.writeFile("\(directory)/a", bytes).value
    let file = try await loop.files.open("\(directory)/a").value
    timeout.set(limit, on: server)
    let reading = isReading ? loop.spawn { () async throws(UVError) in try await server.next().value } : nil
    let sending = Log<Int>()
    try await withBusyPool(of: loop) {
      server.sendfile(file, count: bytes.count) { sending.append($0.value ?? 0) }
      // In two parts, so that the loop looks at its timers meanwhile.
      for _ in 0..<2 { try await loop.sleep(for: limit * 2).value }
    }
    #expect(try await client.read(exactly: bytes.count).value == bytes)
    try await loop.until { !sending.values.isEmpty }
    #expect(sending.values == [bytes.count])
    try await client.write("thanks").value
    let thanks = if let reading { try await reading.value } else { try await server.next().value }
    #expect(thanks == "thanks")
    try await file.close().value
  }
}
