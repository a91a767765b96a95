import Testing
import UV
import UVTestSupport

/// Timeouts of peers that do a little now and then, and of programs that take their time.
@Suite struct SlowPeerTests {
  @Test(arguments: [false, true])
  func `A peer that takes a little now and then doesn't time out, however long that goes on`(hasReader: Bool)
    async throws
  {
    try await withLoop { loop in
      let (near, far) = try loop.pipes.socketPair()
      let limit = Duration.milliseconds(400)
      near.writeTimeout = limit
      if hasReader {
        near.readTimeout = .seconds(1000)
        near.next { _ in }
      }
      let log = Log<UVError.Code?>()
      let count = 16 << 20
      near.write(Bytes(repeating: 1, count: count)) { log.append($0.error?.code) }
      let start = loop.clock.now
      var taken = 0
      // Three times as long as it may take nothing.
      while start.duration(to: loop.clock.now) < limit * 3 {
        taken += try await far.read(exactly: 1 << 18).value!.count
        try await loop.sleep(for: limit / 20).value
        #expect(log.values == [], "after \(start.duration(to: loop.clock.now))")
      }
      let rest = count - taken
      if rest > 0 { #expect(try await far.read(exactly: rest).value?.count == rest) }
      try await loop.until { log.values == [nil] }
      for stream in [near, far] { stream.close() }
    }
  }

  // More lines than one turn takes come in several.
  @Test(arguments: [1, 2, 3000])
  func `A reader that computes with what it got takes none of that time from its peer`(lines: Int)
    async throws
  {
    try await withLoop { loop in
      let (near, far) = try loop.pipes.socketPair()
      let limit = Duration.milliseconds(200)
      near.readTimeout = limit
      var (ends, waited): (LoopClock.Instant?, Duration?) = (nil, nil)
      func read(_ number: Int) {
        near.readLine(limit: 100) { result in
          guard case .success = result else {
            waited = ends!.duration(to: loop.clock.now)
            return
          }
          // For a part of the time that the peer may be silent. What the loop is late beyond that is given to the peer.
          let end = loop.clock.now.advanced(by: number == lines - 1 ? limit / 4 : .zero)
          while loop.clock.now < end {}
          ends = loop.clock.now
          read(number + 1)
        }
      }
      try await far.write(Bytes(String(repeating: "line\n", count: lines))).value
      read(0)
      try await loop.until { waited != nil }
      // Its peer has had the whole time after the last line was dealt with.
      #expect(waited! >= limit, "it has had \(waited!)")
      for stream in [near, far] { stream.close() }
    }
  }

  @Test func `So does one whose turn comes because another reader has left`() async throws {
    try await withLoop { loop in
      let (near, far) = try loop.pipes.socketPair()
      let limit = Duration.milliseconds(200)
      near.readTimeout = limit
      var waited: Duration?
      try await far.write("abc").value
      let first = near.readLine(limit: 100) { _ in }
      near.read(exactly: 3) { result in
        #expect(result.value == "abc")
        let end = loop.clock.now.advanced(by: limit / 4)
        while loop.clock.now < end {}
        let start = loop.clock.now
        near.readLine(limit: 100) { _ in waited = start.duration(to: loop.clock.now) }
      }
      try await loop.until { near.unreadByteCount == 3 }
      first.cancel()
      try await loop.until { waited != nil }
      #expect(waited! >= limit, "it has had \(waited!)")
      for stream in [near, far] { stream.close() }
    }
  }

  @Test func `A peer that takes nothing of what is written counts as silent after a second`() async throws {
    // On a busy machine it may be later.
    var least = Duration.seconds(100)
    for _ in 0..<3 where least > .milliseconds(1700) {
      let waited = try await withLoop { loop in
        let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
        let client = try await loop.tcp.connect(to: listener.localAddress()).value
        let server = try await listener.accept().value
        server.writeTimeout = .seconds(1000)
        server.endWithServer(after: .zero, farewell: "goodbye\n")
        server.readLine(limit: 9) { _ in }
        server.write(Bytes(repeating: 1, count: 32 << 20)) { _ in }
        try await loop.settle()
        let (size, start) = (server.writeQueueSize, loop.clock.now)
        loop.shutdownGracefully(within: .seconds(1000)) { _ in }
        // The farewell waits behind it.
        try await loop.until { server.writeQueueSize > size }
        let waited = start.duration(to: loop.clock.now)
        for stream in [client, server] { stream.closeReset { _ in } }
        listener.close()
        return waited
      }
      least = min(least, waited)
    }
    #expect(least <= .milliseconds(1700), "it took \(least)")
  }
}
