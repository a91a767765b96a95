import UV

extension RecordReader {
  /// Chooses one of many styles to read in.
  func chooseStyle(_ loop: EventLoop) -> Int {
    style = loop.draw(8)
    return style
  }

  /// Reads a stream to its end in the chosen style. What has come before an error is read, too.
  nonisolated(nonsending) func readAll(_ stream: ByteStream) async throws {
    do { try await readToEnd(of: stream) } catch let error as UVError {
      if let rest = try stream.tryRead(exactly: stream.unreadByteCount) { try take(rest) }
      throw error
    }
  }

  private nonisolated(nonsending) func readToEnd(of stream: ByteStream) async throws {
    let loop = stream.loop
    switch style {
    case 0: for try await bytes in stream { try take(bytes) }
    case 1: while let bytes = try await stream.next().value { try take(bytes) }
    case 2: try await readByHandler(stream)
    case 3: try await readRecords(stream)
    case 4: try take(try await stream.readToEnd(limit: 1 << 26).value)
    case 5:
      for try await bytes in stream {
        try take(bytes)
        if loop.isDrawn(oneIn: 8) { try await loop.dawdle() }
      }
    case 6: try await readIntoBuffer(stream)
    default: try await readInManyWays(stream)
    }
  }

  private nonisolated(nonsending) func readByHandler(_ stream: ByteStream) async throws {
    let loop = stream.loop
    var violation: (any Error)?
    // The bytes that other readers leave come before the end.
    for _ in 0..<loop.draw(3) {
      if loop.isDrawn(oneIn: 2) {
        guard let bytes = try await framed(stream, 1 + loop.draw(20)) else { return }
        try take(bytes)
      } else {
        try await readTooMuch(stream)
      }
      for _ in 0..<loop.draw(4) { try await loop.dawdle() }
    }
    let reading = Request<Void>(loop) { [self] done in
      func handle(_ result: Result<Bytes?, UVError>) {
        switch result {
        case .success(let bytes?):
          do { try take(bytes) } catch {
            if violation == nil { violation = error }
          }
          if loop.isDrawn(oneIn: 10) {
            stream.stop()
            loop.sleep(for: .milliseconds(Int64(loop.draw(50)))) { _ in stream.start(handle) }
          }
        case .success(nil): done(.success(()))
        case .failure(let error): done(.failure(error))
        }
      }
      stream.start(handle)
      return PendingRequest()
    }
    try await reading.value
    if let violation { throw violation }
  }

  /// Asks for more than comes, and gives up at some time or when the stream ends.
  private nonisolated(nonsending) func readTooMuch(_ stream: ByteStream) async throws(UVError) {
    let limit = Duration.milliseconds(Int64(stream.loop.draw(3000)))
    do throws(UVError) { _ = try await stream.read(exactly: 1 << 26).timeout(after: limit).value } catch {
      if error.code != .timedOut, error.code != .endOfFile { throw error }
    }
  }

  private nonisolated(nonsending) func readRecords(_ stream: ByteStream) async throws {
    let loop = stream.loop
    while true {
      do throws(UVError) {
        if loop.isDrawn(oneIn: 4) { _ = try await stream.peek(exactly: Records.headerCount).value }
      } catch { if error.code != .endOfFile { throw error } }
      guard let header = try await framed(stream, Records.headerCount) else { return }
      try take(header)
      if header.count < Records.headerCount { continue }
      let count = Int(header.bigEndian(UInt32.self, at: 8))
      if count > 0, let body = try await framed(stream, count) { try take(body) }
    }
  }

  /// So many bytes, or those that are left before the end.
  private nonisolated(nonsending) func framed(_ stream: ByteStream, _ count: Int) async throws -> Bytes? {
    do throws(UVError) {
      guard let bytes = try await stream.read(exactly: count).value else { return nil }
      try! expect(bytes.count == count, "\(bytes.count) bytes in place of \(count)")
      return bytes
    } catch {
      guard error.code == .endOfFile else { throw error }
      return try await rest(of: stream)
    }
  }

  /// What is left of a stream that has ended, in one of three styles.
  private nonisolated(nonsending) func rest(of stream: ByteStream) async throws(UVError) -> Bytes? {
    let loop = stream.loop
    switch loop.draw(3) {
    case 0: return try await stream.next().value
    case 1: return try stream.tryRead(exactly: stream.unreadByteCount)
    default:
      let rest = Request<Bytes?>(loop) { done in
        var bytes = BytesBuilder()
        stream.start { result in
          switch result {
          case .success(let more?): bytes.append(more)
          case .success(nil): done(.success(bytes.takeBytes()))
          case .failure(let error): done(.failure(error))
          }
        }
        return PendingRequest()
      }
      return try await rest.value
    }
  }

  private nonisolated(nonsending) func readIntoBuffer(_ stream: ByteStream) async throws {
    // Sound: freed when nobody reads any more.
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 5000, alignment: 1)
    defer { buffer.deallocate() }
    while true {
      let count = try await stream.read(into: buffer).value
      if count == 0 { return }
      try take(Bytes(copying: UnsafeRawBufferPointer(rebasing: buffer[..<count])))
    }
  }

  private nonisolated(nonsending) func readInManyWays(_ stream: ByteStream) async throws {
    let loop = stream.loop
    while true {
      switch loop.draw(6) {
      case 0:
        guard let bytes = try await stream.next().value else { return }
        try take(bytes)
      case 1:
        guard let bytes = try await framed(stream, 1 + loop.draw(3000)) else { return }
        try take(bytes)
      case 2: if let bytes = try stream.tryRead(exactly: 1 + loop.draw(100)) { try take(bytes) }
      case 3:
        // A reader that gives up takes nothing with it.
        do throws(UVError) {
          let limit = Duration.microseconds(Int64(loop.draw(5000)))
          let reading = stream.read(exactly: 1 + loop.draw(8000)).timeout(after: limit)
          guard let bytes = try await reading.value else { return }
          do { try take(bytes) } catch { throw UVError(.invalidArgument, operation: "\(error)") }
        } catch {
          if error.code != .timedOut, error.code != .endOfFile { throw error }
        }
      case 4:
        // A task that gives up doesn't either.
        let reading = loop.spawn { () async throws(UVError) in try await stream.next().value }
        loop.sleep(for: .microseconds(Int64(loop.draw(5000)))) { _ in reading.cancel() }
        do throws(UVError) {
          guard let bytes = try await reading.value else { return }
          do { try take(bytes) } catch { throw UVError(.invalidArgument, operation: "\(error)") }
        } catch { if error.code != .cancelled { throw error } }
      default: try await readOnce(stream)
      }
    }
  }

  /// Two readers at a time are answered in their order.
  private nonisolated(nonsending) func readOnce(_ stream: ByteStream) async throws {
    let loop = stream.loop
    var parts: [(place: Int, outcome: Result<Bytes?, UVError>)] = []
    let both = Request<Void>(loop) { done in
      for place in 0..<2 {
        stream.next { result in
          parts.append((place, result))
          if parts.count == 2 { done(.success(())) }
        }
      }
      return PendingRequest()
    }
    try await both.value
    try expect(parts[0].place == 0, "the second reader was answered first")
    for part in parts { if let bytes = try part.outcome.get() { try take(bytes) } }
  }
}
