import Foundation
import Testing
import UV
import UVTestSupport

/// One at a time, because signals come to the process.
@Suite(.serialized) struct SignalledShutdownTests {
  @Test func `The first signal gives connections time, and the second ends them`() async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      let server = try await listener.accept().value
      let log = Log<Int>()
      loop.shutdownGracefully(onSignals: [.user1, .user2], within: .seconds(1000)) {
        log.append($0.value?.count ?? -1)
      }
      try await loop.sleep(for: .zero).value
      #expect(!loop.isShuttingDown)
      kill(getpid(), SIGUSR1)
      try await server.quiescing().value
      #expect(loop.isShuttingDown)
      // The limit, and nothing else.
      #expect(loop.statistics.timers == 1)
      // The connections still speak.
      try await client.write("hello").value
      #expect(try await server.next().value == "hello")
      #expect(log.values.isEmpty)
      kill(getpid(), SIGUSR2)
      await expectError(.connectionReset, of: try await client.next().value)
      try await loop.until { !log.values.isEmpty }
      #expect(log.values == [1])
      client.close()
    }
  }

  @Test func waitingForASignalKeepsNoLoopRunningAndTheLoopsEndCancelsIt() async throws {
    let log = Log<UVError.Code?>()
    try await withThread {
      EventLoop.runCallbacks { loop in
        _ = loop.shutdownGracefully(onSignals: [.user1], within: .zero) { log.append($0.error?.code) }
      }
    }
    #expect(log.values == [.cancelled])
  }

  @Test func cancellingItClosesTheWatchers() async throws {
    try await withLoop { loop in
      let log = Log<UVError.Code?>()
      let pending = loop.shutdownGracefully(onSignals: [.user1, .user2], within: .zero) {
        log.append($0.error?.code)
      }
      pending.cancel()
      #expect(log.values.isEmpty)
      while log.values.isEmpty { try await loop.sleep(for: .zero).value }
      #expect(log.values == [.cancelled])
      #expect(!loop.isShuttingDown)
    }
  }

  @Test func oneThatCannotBeWatchedIsRefused() async throws {
    try await withLoop { loop in
      await expectError(
        .invalidArgument,
        of: try await loop.shutdownGracefully(onSignals: [.user1, .kill], within: .zero).value)
      #expect(!loop.isShuttingDown)
    }
  }

  @Test("If something else ends the service, the request for a signal ends with it, and keeps that limit")
  func endsOtherwise() async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      let server = try await listener.accept().value
      let onSignal = loop.spawn { () async throws(UVError) in
        try await loop.shutdownGracefully(onSignals: [.user1], within: .zero).value
      }
      try await loop.sleep(for: .zero).value
      let shutdown = loop.spawn { () async throws(UVError) in
        try await loop.shutdownGracefully(within: .seconds(1000)).value
      }
      try await server.quiescing().value
      // Several turns, in which a limit of zero would have ended the connection.
      for _ in 0..<5 { try await loop.sleep(for: .milliseconds(1)).value }
      try await client.write("still here").value
      #expect(try await server.next().value == "still here")
      // The limit of each. Whoever asks once more waits with them.
      #expect(loop.statistics.timers == 2)
      let again = loop.spawn { () async throws(UVError) in
        try await loop.shutdownGracefully(within: .seconds(1000)).value
      }
      try await loop.settle()
      #expect(loop.statistics.timers == 3)
      // A signal still hurries it.
      kill(getpid(), SIGUSR1)
      await expectError(.connectionReset, of: try await client.next().value)
      #expect(try await onSignal.value.count == 1)
      #expect(try await shutdown.value.count == 1)
      #expect(try await again.value.count == 1)
      client.close()
      // A caller that asks after the end is answered, too.
      #expect(try await loop.shutdownGracefully(onSignals: [.user1], within: .zero).value.count == 1)
    }
  }

  @Test func `If something else ends a group, a request for a signal gets the report`() async throws {
    try await withLoop { loop in
      let group = try EventLoopGroup(count: 2)
      let notified = Log<Void>()
      let address = try await group.serve(host: "127.0.0.1", port: 0) { connection in
        notified.append(())
        _ = try? await connection.next().value
      }
      let client = try await loop.tcp.connect(to: address).value
      let onSignal = loop.spawn { () async throws(UVError) in
        try await group.shutdownGracefully(onSignals: [.user1], within: .zero, on: loop).value
      }
      try await loop.until { !notified.values.isEmpty }
      let report = await group.shutdownGracefully(within: .zero)
      #expect(report.count == 1)
      #expect(try await onSignal.value == report)
      client.close()
    }
  }

  @Test(
    "A server that restarts on one signal and ends on another ends on either", arguments: [SIGUSR1, SIGWINCH])
  func restartsAndEnds(signal: Int32) async throws {
    let log = Log<String>()
    try await withThread {
      try EventLoop.run { loop in
        // As the article Restarting has it, without a successor.
        let hangups = try loop.signals(Signal(rawValue: SIGWINCH))
        let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
        loop.shutdownGracefully(onSignals: [.user1], within: .seconds(1000)) {
          log.append("\($0.value!.count)")
        }
        loop.spawn {
          do throws(UVError) {
            for try await _ in hangups { break }
            _ = try await loop.shutdownGracefully(within: .seconds(1000)).value
          } catch { log.append("\(error)") }
        }
        try await loop.sleep(for: .zero).value
        kill(getpid(), signal)
        for try await connection in listener { connection.close() }
        hangups.close()
      }
    }
    #expect(log.values == ["0"])
  }

  @Test func `A snapshot says that the shutdown waits for a signal`() async throws {
    try await withLoop { loop in
      let shutdown = loop.spawn { () async throws(UVError) in
        try await loop.shutdownGracefully(onSignals: [.user1], within: .zero).value
      }
      try await loop.sleep(for: .zero).value
      #expect(loop.snapshot().description.contains("shutdownGracefully not before a signal"))
      kill(getpid(), SIGUSR1)
      #expect(try await shutdown.value.hasCutOffNobody)
    }
  }

  @Test func `Waiting for the signal that ends a group keeps the loop running that waits`() async throws {
    let log = Log<Int?>()
    try await withThread {
      try EventLoop.runCallbacks { loop in
        let group = try EventLoopGroup(count: 1)
        group.shutdownGracefully(onSignals: [.user1], within: .zero, on: loop).start { result in
          log.append(result.value?.count)
        }
        // It isn't what keeps the loop.
        _ = loop.sleepQuietly(for: .milliseconds(1)) { _ in kill(getpid(), SIGUSR1) }
      }
    }
    #expect(log.values == [0])
  }

  @Test func aGroupEndsOnASignalToo() async throws {
    let notified = Log<Void>()
    try await withLoop { loop in
      let group = try EventLoopGroup(count: 2)
      let address = try await group.serve(host: "127.0.0.1", port: 0) { connection in
        _ = try? await connection.quiescing().value
        notified.append(())
        _ = try? await connection.next().value
      }
      let client = try await loop.tcp.connect(to: address).value
      let shutdown = loop.spawn { () async throws(UVError) in
        try await group.shutdownGracefully(onSignals: [.user1], within: .seconds(1000), on: loop).value
      }
      try await loop.sleep(for: .zero).value
      kill(getpid(), SIGUSR1)
      try await loop.until { !notified.values.isEmpty }
      kill(getpid(), SIGUSR1)
      #expect(try await shutdown.value.count == 1)
      client.close()
    }
  }

  @Test func `The report of several loops is what each has cut off, complete if each is`() throws {
    let peers = try (1...3).map { try SocketAddress("127.0.0.1", port: $0) }
    for (one, other) in [(true, true), (true, false), (false, true), (false, false)] {
      var sum = ShutdownReport(count: 2, peers: [peers[0], peers[1]], isComplete: one)
      sum += ShutdownReport(count: 1, peers: [peers[2]], isComplete: other)
      #expect(sum == ShutdownReport(count: 3, peers: peers, isComplete: one && other))
      #expect(sum.isComplete == (one && other))
    }
  }
}
