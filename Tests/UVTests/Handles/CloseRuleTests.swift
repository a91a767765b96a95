import Testing
import UV
import UVTestSupport

/// Closing and lifetime: rules 1 to 9.
@Suite struct CloseRuleTests {
  @Test(.rule(1)) func `A handle's memory stays until libuv has let go of it`() async throws {
    try await withLoop { loop in
      for _ in 0..<100 { _ = try LoopTimer(loop) }
      // Dropped, and not yet closed: that takes a turn.
      #expect(loop.statistics.handles == 100)
      for _ in 0..<3 { try await loop.sleep(for: .zero).value }
      #expect(loop.statistics.handles == 0)
    }
  }

  @Test(.rule(2)) func `Closing twice closes once and calls both completions`() async throws {
    let log = Log<String>()
    try await withCallbackLoop { loop in
      let timer = try LoopTimer(loop)
      timer.close { _ in log.append("first") }
      timer.close { _ in
        log.append("second")
        timer.close { _ in log.append("afterwards") }
      }
      #expect(timer.isClosing)
      #expect(log.values.isEmpty)
    }
    #expect(log.values == ["first", "second", "afterwards"])
  }

  @Test("The last reference may go on another thread; the loop's closes the handle", .rule(3))
  func theLastReferenceGoesOnAnotherThread() async throws {
    try await withLoop { loop in
      for _ in 0..<50 {
        // The last reference goes with the task, on whatever thread that ends on.
        let box = Box(try loop.tcp.listen(host: "127.0.0.1", port: 0))
        await Task.detached { box.value = nil }.value
      }
      while loop.statistics.handles > 0 { try await loop.sleep(for: .zero).value }
    }
  }

  @Test("On close writes end first, then the shutdown, then reads, then the close", .rule(4))
  func theOrderOfClosing() async throws {
    let log = Log<String>()
    try await withPair { loop, client, _ in
      func note(_ what: String) -> (Result<Void, UVError>) -> Void {
        { log.append("\(what) \($0.error?.name ?? "ok")") }
      }
      client.next { log.append("read \($0.error?.name ?? "ok")") }
      client.write(Bytes(repeating: 1, count: 16 << 20), note("write"))
      client.write("more", note("write after it"))
      client.shutdown(note("shutdown"))
      client.close(note("close"))
      try await client.close().value
    }
    #expect(
      log.values == [
        "write ECANCELED", "write after it ECANCELED", "shutdown ECANCELED", "read ECANCELED", "close ok",
      ])
  }

  @Test("A reader may stop or close from its own callback", .rule(5), arguments: [false, true])
  func aReaderMayCloseInItsCallback(closes: Bool) async throws {
    let log = Log<String>()
    try await withPair { loop, client, server in
      client.start { result in
        log.append((try? result.get())?.description ?? "end")
        if closes { client.close() } else { client.stop() }
      }
      try await server.write("one").value
      while log.values.isEmpty { try await loop.sleep(for: .zero).value }
      if !closes {
        try await server.write("two").value
        for _ in 0..<20 { try await loop.sleep(for: .zero).value }
        #expect(log.values == ["one"])
        #expect(try await client.next().value == "two")
      }
    }
    #expect(log.values == (closes ? ["one", "end"] : ["one"]))
  }

  @Test(.rule(6)) func `A loop is shut down with handles open, started or not`() async throws {
    try await withThread {
      let loop = try EventLoop()
      let idle = try LoopTimer(loop)
      let started = try LoopTimer(loop)
      try started.start(after: .seconds(1000)) {}
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      #expect(loop.statistics.handles == 3)
      loop.shutdown()
      #expect(loop.statistics.isIdle)
      #expect(idle.isClosing && started.isClosing && listener.isClosing)
    }
  }

  @Test(.rule(7)) func `What is asked of a loop after its shutdown fails and says so`() async throws {
    let log = Log<UVError.Code?>()
    try await withThread {
      let loop = try EventLoop()
      let ticks = loop.ticks(every: .milliseconds(1))
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      loop.shutdown()
      loop.sleep(for: .zero) { log.append($0.error?.code) }
      loop.files.stat("/") { log.append($0.error?.code) }
      loop.files.readFile("/etc/passwd") { log.append($0.error?.code) }
      loop.dns.resolve("localhost") { log.append($0.error?.code) }
      loop.tcp.connect(host: "127.0.0.1", port: 1) { log.append($0.error?.code) }
      loop.work({ 1 }) { log.append($0.error?.code) }
      listener.accept { log.append($0.error?.code) }
      #expect(log.values == Array(repeating: .loopClosed, count: 7))
      #expect(throws: UVError(.loopClosed, operation: "tcp_init")) { try loop.tcp.listen(port: 0) }
      #expect(throws: UVError(.loopClosed, operation: "timer_init")) { try LoopTimer(loop) }
      #expect(throws: UVError(.loopClosed, operation: "run")) {
        try loop.run { _ in throw CancellationError() }
      }
      #expect(!loop.isAlive)
      ticks.stop()
    }
  }

  @Test(.rule(8)) func `A shutdown leaves handles alone that are closing already`() async throws {
    let log = Log<Int>()
    try await withThread {
      let loop = try EventLoop()
      let timers = try (0..<10).map { _ in try LoopTimer(loop) }
      for (index, timer) in timers.enumerated() where index % 2 == 0 {
        timer.close { _ in log.append(index) }
      }
      loop.shutdown()
      #expect(loop.statistics.isIdle)
      #expect(timers.allSatisfy { $0.isClosing })
    }
    #expect(log.values.sorted() == [0, 2, 4, 6, 8])
  }

  @Test(.rule(9)) func `A handle that cannot be bound, listened on or connected is closed`() async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let address = try listener.localAddress()
      for _ in 0..<20 {
        await expectError(.addressInUse, of: try loop.tcp.listen(on: address))
        await expectError(.addressNotAvailable, of: try loop.tcp.listen(host: "192.0.2.1", port: 0))
        await expectError(.invalidArgument, of: try loop.signals(Signal(rawValue: 9)))
      }
      try await listener.close().value
      await expectError(.connectionRefused, of: try await loop.tcp.connect(to: address).value)
      while loop.statistics.handles > 0 { try await loop.sleep(for: .zero).value }
    }
  }
}
