import Foundation
import Testing
import UV
import UVTestSupport

@Suite struct StreamTimeoutTests {
  /// The description of the error with which `body` fails.
  nonisolated(nonsending) func failure<T>(_ body: nonisolated(nonsending) () async throws(UVError) -> T) async
    -> String
  {
    do throws(UVError) {
      _ = try await body()
      return "none"
    } catch { return error.description }
  }

  @Test("A read timeout ends the reads that wait, names itself, and leaves the stream as it was")
  func readTimeout() async throws {
    try await withPair { loop, client, server in
      server.readTimeout = .milliseconds(5)
      #expect(server.readTimeout == .milliseconds(5))
      let other = loop.spawn { () async throws(UVError) in try await server.next().value }
      #expect(
        await failure { () async throws(UVError) in try await server.next().value }
          == "read within the readTimeout of 0.005 seconds: connection timed out (ETIMEDOUT)")
      await expectError(.timedOut, of: try await other.value)
      await expectError(.timedOut, of: try await server.next().value)
      server.readTimeout = nil
      try await server.write("408").value
      #expect(try await client.next().value == "408")
      try await client.write("late").value
      #expect(try await server.next().value == "late")
    }
  }

  @Test func `A handler that times out has ended, and another may follow`() async throws {
    try await withPair { loop, client, server in
      server.idleTimeout = .milliseconds(5)
      let log = Log<String>()
      server.start { log.append($0.error?.description ?? "\($0.value??.description ?? "end")") }
      try await loop.until { !log.values.isEmpty }
      #expect(
        log.values == ["read within the idleTimeout of 0.005 seconds: connection timed out (ETIMEDOUT)"])
      server.idleTimeout = nil
      server.start { log.append($0.value??.description ?? "end") }
      try await client.write("hello").value
      try await loop.until { log.values.count >= 2 }
      #expect(log.values.last == "hello")
      server.stop()
    }
  }

  @Test func `A part of a frame that came before a timeout stays`() async throws {
    try await withPair { loop, client, server in
      server.readTimeout = .milliseconds(5)
      try await client.write("half").value
      let other = loop.spawn { () async throws(UVError) in try await server.readLine(limit: 20).value }
      await expectError(.timedOut, of: try await server.read(exactly: 40000).value)
      await expectError(.timedOut, of: try await other.value)
      server.readTimeout = nil
      try await client.write(" and half\n").value
      #expect(try await server.readLine(limit: 20).value == "half and half")
    }
  }

  @Test func `A write without progress ends the connection, and everything that waits for it`() async throws {
    try await withPair { loop, client, server in
      server.writeTimeout = .milliseconds(40)
      let reading = loop.spawn { () async throws(UVError) in try await server.next().value }
      let writing = loop.spawn { () async throws(UVError) in
        try await server.write(Bytes([UInt8](repeating: 1, count: 32 << 20))).value
      }
      try await loop.until { server.writeQueueSize != 0 }
      let log = Log<String?>()
      server.write("queued") { log.append($0.error?.description) }
      server.drain { log.append($0.error?.description) }
      server.shutdown { log.append($0.error?.description) }
      let text = "within the writeTimeout of 0.04 seconds: connection timed out (ETIMEDOUT)"
      #expect(await failure { () async throws(UVError) in try await writing.value } == "write \(text)")
      #expect(await failure { () async throws(UVError) in try await reading.value } == "read \(text)")
      #expect(log.values == [String?](repeating: "write \(text)", count: 3))
      #expect(server.isClosing)
      // A later operation reports why the connection is closed.
      #expect(
        await failure { () async throws(UVError) in try await server.write("later").value } == "write \(text)"
      )
      #expect(await failure { () async throws(UVError) in try await server.next().value } == "read \(text)")
      #expect(
        await failure { () async throws(UVError) in try await server.write(["a", "b"]).value }
          == "write \(text)")
      // A peer that counts on the rest gets an error, and not a part of it.
      await expectError(.connectionReset, .endOfFile, of: try await client.read(exactly: 32 << 20).value)
    }
  }

  @Test func `A slow peer makes progress: a write that goes on does not time out`() async throws {
    try await withPair { loop, client, server in
      server.writeTimeout = .milliseconds(300)
      let count = 8 << 20
      let writing = loop.spawn { () async throws(UVError) in
        try await server.write(Bytes([UInt8](repeating: 1, count: count))).value
      }
      var received = 0
      let begin = loop.now
      while received < count, let bytes = try await client.next().value {
        received += bytes.count
        if received < count / 2 || begin.duration(to: loop.now) < .milliseconds(600) {
          try await loop.sleep(for: .milliseconds(1)).value
        }
      }
      try await writing.value
    }
  }

  // The time is what this is about. The simulation has writes, where nothing else can delay them.
  @Test(
    "A read timeout counts from the end of the turn that has delivered bytes, however long it computes",
    arguments: [false, true], [1, 3000])
  func lateReader(isIdle: Bool, lines: Int) async throws {
    try await withPair { loop, client, server in
      let limit = Duration.milliseconds(120)
      if isIdle { server.idleTimeout = limit } else { server.readTimeout = limit }
      var last = loop.clock.now
      let ended = Request<Duration>(loop) { done in
        var rest = lines
        func take<T>(_ result: Result<T, UVError>) -> Bool {
          if case .failure = result {
            done(.success(last.duration(to: loop.clock.now)))
            return false
          }
          rest -= 1
          if rest == 0 {
            usleep(60_000)
            last = loop.clock.now
          }
          return true
        }
        func readLine() { server.readLine(limit: 10).start { if take($0) { readLine() } } }
        // More lines than a turn's budget: the last ones come in turns that read nothing.
        if lines > 1 { readLine() } else { server.start { _ = take($0) } }
        return PendingRequest()
      }
      client.write(Bytes(repeating: 10, count: lines)) { _ in }
      let time = try await ended.value
      #expect(time >= limit)
    }
  }

  @Test func `A file that is sent times out, too`() async throws {
    try await withTemporaryDirectory { directory in
      try await withPair { loop, client, server in
        try await loop.files.writeFile("\(directory)/a", SendfileTests.pattern(32 << 20)).value
        let file = try await loop.files.open("\(directory)/a").value
        server.idleTimeout = .milliseconds(20)
        #expect(
          await failure { () async throws(UVError) in try await server.sendfile(file, count: 32 << 20).value }
            .hasPrefix("write within the idleTimeout of 0.02 seconds"))
        #expect(server.isClosing)
        try await file.close().value
      }
    }
  }

  @Test(
    "The time in which a file is read for its peer does not count", arguments: FileTimeout.allCases,
    [false, true])
  func slowFile(timeout: FileTimeout, whileReading: Bool) async throws {
    try await withPair { _, client, server in
      try await sendSlowFile(from: server, to: client, whileReading: whileReading, timeout)
    }
  }

  @Test func `A total that has passed ends no file that the system takes at once`() async throws {
    try await withTemporaryDirectory { directory in
      try await withPair { loop, client, server in
        try await loop.files.writeFile("\(directory)/a", "0123456789").value
        let file = try await loop.files.open("\(directory)/a").value
        server.totalTimeout = .milliseconds(1)
        for _ in 0..<3 {
          try await loop.sleep(for: .milliseconds(10)).value
          #expect(try await server.sendfile(file, count: 10).value == 10)
          #expect(try await client.read(exactly: 10).value == "0123456789")
        }
        #expect(!server.isClosing)
        try await file.close().value
      }
    }
  }

  // The time is what this is about.
  @Test(
    "A reader that asks after the total gets what has come, although an earlier one got a last chance",
    arguments: [false, true])
  func laterReader(asksMuchLater: Bool) async throws {
    try await withPair { loop, client, server in
      let reading = loop.spawn { () async throws(UVError) in try await server.next().value }
      try await loop.settle()
      server.totalTimeout = .milliseconds(1)
      // The loop is late, and the peer gets as much time. The bytes come then.
      usleep(500_000)
      try await loop.sleep(for: .milliseconds(1)).value
      try await client.write("a").value
      #expect(try await reading.value == "a")
      try await loop.sleep(for: asksMuchLater ? .milliseconds(300) : .zero).value
      try await client.write("b").value
      #expect(try await server.next().value == "b")
      await expectError(.timedOut, of: try await server.next().value)
    }
  }

  @Test(
    "What has come is read first, also by a reader whose turn takes long after the time is over",
    arguments: [false, true])
  func latePoll(isTotal: Bool) async throws {
    try await withPair { loop, client, server in
      if isTotal { server.totalTimeout = .milliseconds(1) } else { server.readTimeout = .zero }
      usleep(5_000)
      try await client.write("a").value
      let log = Log<String>()
      server.next { log.append($0.value??.description ?? "\($0.error?.name ?? "end")") }
      // The timer of the last chance is due before the loop has looked for bytes.
      usleep(20_000)
      try await loop.until { !log.values.isEmpty }
      #expect(log.values == ["a"])
      await expectError(.timedOut, of: try await server.next().value)
    }
  }

  @Test(
    "The time in which a file is read for a pipe that blocks doesn't count, and that of its reader does",
    .onTheMachine("/proc/self/fd, by which a pipe is opened anew"))
  func blockingPipe() async throws {
    try await withLoopAndDirectory { loop, directory in
      let bytes = SendfileTests.pattern(200_000)
      try await loop.files.writeFile("\(directory)/a", bytes).value
      let file = try await loop.files.open("\(directory)/a").value
      let (reading, writing) = try loop.pipes.pair()
      try writing.setBlocking(true)
      writing.writeTimeout = .milliseconds(40)
      let log = Log<Int?>()
      try await withBusyPool(of: loop) {
        writing.sendfile(file, count: bytes.count) { log.append($0.value) }
        // In two parts, so that the loop looks at its timers meanwhile.
        for _ in 0..<2 { try await loop.sleep(for: .milliseconds(80)).value }
      }
      #expect(try await reading.read(exactly: bytes.count).value == bytes)
      try await loop.until { !log.values.isEmpty }
      #expect(log.values == [bytes.count])
      await expectError(.timedOut, of: try await writing.sendfile(file, count: bytes.count).value)
      #expect(writing.isClosing)
      // It waits for the thread of the pool, which doesn't wait for the reader.
      try await file.close().timeout(after: .seconds(20)).value
      reading.close()
    }
  }

  @Test(
    "A stream that is set to block while it is sent a file keeps no thread, and its timeout counts",
    .onTheMachine("/proc/self/fd, by which a pipe is opened anew"), arguments: [false, true])
  func blockingMeanwhile(isPipe: Bool) async throws {
    try await withTemporaryDirectory { directory in
      try await withPair { loop, client, server in
        try await loop.files.writeFile("\(directory)/a", SendfileTests.pattern(32 << 20)).value
        let file = try await loop.files.open("\(directory)/a").value
        let pair = try loop.pipes.pair()
        let (source, target): (ByteStream, ByteStream) = isPipe ? pair : (client, server)
        let log = Log<UVError.Code?>()
        target.sendfile(file, count: 32 << 20) { log.append($0.error?.code) }
        #expect(try await source.next().value != nil)
        try target.setBlocking(true)
        target.writeTimeout = .milliseconds(40)
        // The system's call that follows could wait.
        #expect(try await source.read(exactly: 1 << 20).value != nil)
        try await loop.until { !log.values.isEmpty }
        #expect(log.values == [.timedOut])
        try await file.close().timeout(after: .seconds(20)).value
        for pipe in [pair.reading, pair.writing] { pipe.close() }
      }
    }
  }

  @Test(
    "A file that is sent to a socket that blocks keeps no thread once the connection has gone",
    arguments: [false, true])
  func blockingSocket(timesOut: Bool) async throws {
    try await withTemporaryDirectory { directory in
      try await withPair { loop, client, server in
        try await loop.files.writeFile("\(directory)/a", SendfileTests.pattern(32 << 20)).value
        let file = try await loop.files.open("\(directory)/a").value
        try server.setBlocking(true)
        if timesOut { server.writeTimeout = .milliseconds(40) }
        let log = Log<UVError.Code?>()
        server.sendfile(file, count: 32 << 20) { log.append($0.error?.code) }
        #expect(try await client.next().value != nil)
        if !timesOut { server.close() }
        try await loop.until { !log.values.isEmpty }
        #expect(log.values == [timesOut ? .timedOut : .cancelled])
        try await file.close().timeout(after: .seconds(20)).value
      }
    }
  }

  @Test func `A connection is not idle while it is written to`() async throws {
    try await withPair { loop, client, server in
      server.idleTimeout = .milliseconds(400)
      let reading = loop.spawn { () async throws(UVError) in try await server.next().value }
      let begin = loop.now
      client.start { _ in }
      while begin.duration(to: loop.now) < .milliseconds(900) {
        try await server.write("news").value
        try await loop.sleep(for: .milliseconds(2)).value
      }
      #expect(reading.resultIfFinished == nil)
      await expectError(.timedOut, of: try await reading.value)
      client.stop()
    }
  }

  @Test func `A read timeout leaves writes alone, and their own timeout goes on`() async throws {
    try await withPair { loop, client, server in
      let much = Bytes(repeating: 1, count: 32 << 20)
      server.readTimeout = .milliseconds(1)
      let writing = loop.spawn { () async throws(UVError) in try await server.write(much).value }
      for _ in 0..<3 { await expectError(.timedOut, of: try await server.next().value) }
      #expect(!server.isClosing && writing.resultIfFinished == nil)
      #expect(try await client.read(exactly: much.count).value == much)
      try await writing.value
    }
    try await withPair { loop, client, server in
      server.readTimeout = .milliseconds(1)
      server.writeTimeout = .milliseconds(20)
      let reading = loop.spawn { () async throws(UVError) in try await server.next().value }
      let error = await failure { () async throws(UVError) in
        try await server.write(Bytes(repeating: 1, count: 32 << 20)).value
      }
      #expect(error.hasPrefix("write within the writeTimeout of 0.02 seconds"))
      await expectError(.timedOut, of: try await reading.value)
      #expect(server.isClosing)
    }
  }

  @Test func `The time in which the program does not wait for its peer does not count`() async throws {
    try await withPair { loop, client, server in
      server.readTimeout = .milliseconds(10)
      server.idleTimeout = .milliseconds(10)
      let reading = loop.spawn { () async throws(UVError) in try await server.next().value }
      try await client.write("a").value
      #expect(try await reading.value == "a")
      try await loop.sleep(for: .milliseconds(40)).value
      try await client.write("b").value
      #expect(try await server.next().value == "b")
    }
  }

  @Test func `A loop that is late reads what has come before it complains`() async throws {
    try await withPair { loop, client, server in
      server.readTimeout = .milliseconds(5)
      let reading = loop.spawn { () async throws(UVError) in try await server.next().value }
      try await loop.sleep(for: .zero).value
      try await client.write("in time").value
      usleep(50_000)
      #expect(try await reading.value == "in time")
    }
  }

  // The order of times is what this is about.
  @Test("A peer that has used its last chance has its usual time from then", arguments: [false, true])
  func usedChance(isIdle: Bool) async throws {
    try await withPair { loop, client, server in
      if isIdle { server.idleTimeout = .milliseconds(20) } else { server.readTimeout = .milliseconds(20) }
      let log = Log<String>()
      server.start { result in
        log.append(result.value??.description ?? result.error?.name ?? "end")
        if case .success = result { loop.sleep(for: .milliseconds(400)) { _ in log.append("later") } }
      }
      let (near, far) = try loop.pipes.socketPair()
      near.next { _ in
        // The loop is late by so much, and the peer gets as much time. Its bytes come right after that has begun.
        usleep(800_000)
        _ = try? client.tryWrite("a")
      }
      try await far.write("now").value
      try await loop.until { log.values.count == 3 }
      #expect(log.values == ["a", "ETIMEDOUT", "later"])
      for end in [near, far] { end.close() }
    }
  }

  @Test func `A new value counts from when it is set`() async throws {
    try await withPair { loop, client, server in
      let reading = loop.spawn { () async throws(UVError) in try await server.next().value }
      try await loop.settle()
      server.readTimeout = .seconds(1000)
      server.readTimeout = .seconds(Int64.max)
      try await loop.settle()
      #expect(reading.resultIfFinished == nil)
      server.readTimeout = .milliseconds(-5)
      await expectError(.timedOut, of: try await reading.value)
      server.readTimeout = .zero
      await expectError(.timedOut, of: try await server.next().value)
    }
  }

  @Test func `A timeout keeps no loop running, and a close takes its timer away`() async throws {
    try await withCallbackLoop { loop in
      let (reading, writing) = try loop.pipes.pair()
      reading.idleTimeout = .seconds(1000)
      reading.next { _ in }.cancel()
      #expect(loop.statistics.timers == 1)
      writing.readTimeout = .seconds(1000)
      #expect(loop.statistics.timers == 1)
      loop.sleep(for: .milliseconds(1)) { _ in
        #expect(!loop.isAlive)
        #expect(loop.statistics.timers == 1)
        reading.close()
        #expect(loop.statistics.timers == 0)
        writing.close()
        reading.idleTimeout = .zero
        #expect(reading.idleTimeout == nil)
      }
    }
  }

  @Test func `A timeout that is set on a stream that closes or has closed begins no timer`() async throws {
    try await withPair { loop, client, server in
      for round in 0..<3 {
        server.readTimeout = .milliseconds(round + 1)
        server.writeTimeout = .milliseconds(round + 1)
        server.idleTimeout = .milliseconds(round + 1)
        server.totalTimeout = .milliseconds(round + 1)
        if round == 0 { server.close() { _ in } }
        // The timer of this test's own sleep ends before they are counted.
        if round > 0 { #expect(loop.statistics.timers == 0) }
        if round == 1 { try await loop.settle() }
      }
      try await loop.sleep(for: .milliseconds(10)).value
    }
  }

  @Test func `Activity touches no timer`() async throws {
    try await withPair { loop, client, server in
      server.readTimeout = .seconds(60)
      server.writeTimeout = .seconds(60)
      server.idleTimeout = .seconds(60)
      client.idleTimeout = .seconds(60)
      for _ in 0..<20 {
        try await client.write("ping").value
        #expect(try await server.next().value == "ping")
        try await server.write("pong").value
        #expect(try await client.next().value == "pong")
      }
      #expect(loop.statistics.timers == 2)
    }
  }
}
