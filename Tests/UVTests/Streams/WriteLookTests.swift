import Testing
import UV
import UVTestSupport

/// The timeout of a write beside those of a reader, with which it shares a timer.
@Suite struct WriteLookTests {
  // Streams of one loop are as late as each other, however busy the machine is. So they are compared.
  @Test func `A write that stops half-way times out as soon, whatever timeout a reader has beside it`()
    async throws
  {
    try await withLoop { loop in
      let limit = Duration.milliseconds(600)
      // In tenths of the write's; none for no reader.
      let readers: [Int?] = [nil, 1, 3, 5, 7, 9, 10, 30]
      var times: [Duration] = []
      var streams: [PipeConnection] = []
      // Made once: that takes a while.
      let bytes = Bytes(repeating: 1, count: 16 << 20)
      for tenths in readers {
        let (stream, peer) = try loop.pipes.socketPair()
        streams += [stream, peer]
        stream.writeTimeout = limit
        if let tenths {
          stream.readTimeout = limit * tenths / 10
          stream.next { _ in }
        }
        let start = loop.clock.now
        stream.write(bytes) { result in
          guard case .failure(let error) = result, error.code == .timedOut else {
            Issue.record("\(tenths ?? 0) tenths: \(result)")
            return
          }
          times.append(start.duration(to: loop.clock.now))
        }
        // It takes some early on, and then nothing.
        loop.sleep(for: limit / 10) { _ in peer.read(exactly: 1 << 20) { _ in } }
      }
      try await loop.until { times.count == readers.count }
      #expect(times.min()! >= limit)
      #expect(times.max()! - times.min()! <= limit / 2, "\(times)")
      for stream in streams { stream.close() }
    }
  }
}
