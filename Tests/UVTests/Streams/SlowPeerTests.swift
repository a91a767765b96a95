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

  @Test(arguments: [1, 2, 5])
  func `A reader that computes with what it got doesn't take that time from its peer`(lines: Int) async throws
  {
    try await withLoop { loop in
      let (near, far) = try loop.pipes.socketPair()
      let limit = Duration.milliseconds(150)
      near.readTimeout = limit
      var (ends, waited): (LoopClock.Instant?, Duration?) = (nil, nil)
      func read(_ number: Int) {
        near.readLine(limit: 100) { result in
          guard case .success = result else {
            waited = ends!.duration(to: loop.clock.now)
            return
          }
          // As long as the peer may be silent.
          let end = loop.clock.now.advanced(by: limit)
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
}
