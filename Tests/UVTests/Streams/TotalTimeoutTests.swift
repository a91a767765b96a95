import Testing
import UV
import UVTestSupport

/// The timeout that bytes don't begin anew.
@Suite struct TotalTimeoutTests {
  @Test(
    "A peer that sends a byte now and then is read until the total has passed, and no longer",
    arguments: [false, true])
  func reading(byLine: Bool) async throws {
    try await withPair { loop, client, server in
      server.readTimeout = .seconds(60)
      server.idleTimeout = .seconds(60)
      server.totalTimeout = .milliseconds(50)
      #expect(server.totalTimeout == .milliseconds(50))
      let sending = loop.spawn { () async throws(UVError) in
        while true {
          try await client.write("x").value
          try await loop.sleep(for: .milliseconds(2)).value
        }
      }
      do throws(UVError) {
        if byLine {
          _ = try await server.readLine(limit: 1 << 20).value
        } else {
          for try await _ in server {}
        }
        Issue.record("it has ended otherwise")
      } catch {
        #expect(
          error.description
            == "read within the totalTimeout of 0.05 seconds: connection timed out (ETIMEDOUT)")
      }
      // The time that has passed is the same for a later reader.
      await expectFailure(.timedOut) { () async throws(UVError) in
        while true { _ = try await server.next().value }
      }
      sending.cancel()
      await expectError(.cancelled, of: try await sending.value)
      // The stream is as it was.
      server.totalTimeout = nil
      _ = try server.tryRead(exactly: server.unreadByteCount)
      try await client.write("bye").value
      while let bytes = try await server.next().value, bytes.last != UInt8(ascii: "e") {}
    }
  }

  /// The stream hasn't paused then, and so doesn't begin to wait anew.
  @Test("A first time that is set right after a read counts for the next one", arguments: [false, true])
  func afterARead(isTotal: Bool) async throws {
    try await withPair { loop, client, server in
      try await client.write("yes").value
      #expect(try await server.next().value == "yes")
      if isTotal { server.totalTimeout = .milliseconds(10) } else { server.readTimeout = .milliseconds(10) }
      await expectError(.timedOut, of: try await server.readLine(limit: 100).value)
    }
  }

  @Test("A peer that takes a little now and then is written to until the total has passed, and no longer")
  func writing() async throws {
    try await withPair { loop, client, server in
      server.writeTimeout = .seconds(60)
      server.totalTimeout = .milliseconds(50)
      let taking = loop.spawn { () async throws(UVError) in
        var count = 0
        while let bytes = try await client.next().value {
          count += bytes.count
          try await loop.sleep(for: .milliseconds(2)).value
        }
      }
      do throws(UVError) {
        while true { try await server.write(Bytes(repeating: 1, count: 16 << 20)).value }
      } catch {
        #expect(error.code == .timedOut && error.subject?.contains("totalTimeout") == true)
        #expect(server.isClosing)
      }
      await expectError(.connectionReset, of: try await taking.value)
    }
  }

  @Test("To set the total again begins it anew, and a program that doesn't wait isn't notified")
  func anew() async throws {
    try await withPair { loop, client, server in
      for number in 0..<20 {
        server.totalTimeout = .milliseconds(500)
        try await client.write(Bytes("\(number)\n")).value
        #expect(try await server.readLine(limit: 10).value == Bytes("\(number)"))
      }
      server.totalTimeout = .milliseconds(1)
      try await loop.sleep(for: .milliseconds(5)).value
      server.totalTimeout = nil
      try await client.write("x").value
      #expect(try await server.next().value == "x")
    }
  }

  @Test("A short time is noticed after a wait that had a long one", arguments: [false, true])
  func afterALongWait(isTotal: Bool) async throws {
    try await withPair { loop, client, server in
      server.readTimeout = .seconds(1000)
      let reading = loop.spawn { () async throws(UVError) in try await server.next().value }
      try await loop.sleep(for: .milliseconds(1)).value
      try await client.write("x").value
      #expect(try await reading.value == "x")
      // Nobody waits now, and the timer of that wait goes on.
      if isTotal { server.totalTimeout = .milliseconds(20) } else { server.writeTimeout = .milliseconds(20) }
      await expectFailure(.timedOut) { () async throws(UVError) in
        while true { try await server.write(Bytes(repeating: 1, count: 16 << 20)).value }
      }
    }
    try await withPair { loop, client, server in
      server.writeTimeout = .seconds(1000)
      let writing = loop.spawn { () async throws(UVError) in
        try await server.write(Bytes(repeating: 1, count: 16 << 20)).value
      }
      _ = try await client.read(exactly: 16 << 20).value
      try await writing.value
      if isTotal { server.totalTimeout = .milliseconds(20) } else { server.readTimeout = .milliseconds(20) }
      await expectError(.timedOut, of: try await server.next().value)
    }
  }

  @Test("A time that is set between two reads of a loop counts for the next one", arguments: [false, true])
  func betweenReads(isTotal: Bool) async throws {
    try await withPair { loop, client, server in
      server.readTimeout = .seconds(1000)
      let reading = loop.spawn { () async throws(UVError) in
        for try await _ in server {
          // At the first bytes; those that follow don't begin the total anew.
          if isTotal, server.totalTimeout == nil { server.totalTimeout = .milliseconds(20) }
          if !isTotal { server.readTimeout = .milliseconds(20) }
        }
      }
      try await loop.sleep(for: .milliseconds(1)).value
      try await client.write("x").value
      while isTotal, reading.resultIfFinished == nil {
        try await client.write("x").value
        try await loop.sleep(for: .milliseconds(2)).value
      }
      await expectError(.timedOut, of: try await reading.value)
    }
  }
}
