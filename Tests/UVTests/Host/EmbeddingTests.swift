import Foundation
import Testing
import UV
import UVTestSupport

/// A loop that another event loop drives; rule 45.
@Suite struct EmbeddingTests {
  /// The other event loop: it waits for the loop's descriptor, no longer than its timeout, and runs what has
  /// come.
  static func drive(_ loop: EventLoop, turns: Log<Int32>? = nil) throws {
    while try loop.runNoWait() {
      var entry = pollfd(fd: loop.backendFD, events: Int16(POLLIN), revents: 0)
      let timeout = loop.backendTimeout.map { Int32($0 / .milliseconds(1)) } ?? -1
      turns?.append(timeout)
      poll(&entry, 1, timeout)
    }
  }

  @Test func `A loop that has nothing to do has no time to wait for`() async throws {
    try await withThread {
      let loop = try EventLoop()
      #expect(try !loop.runNoWait())
      #expect(loop.backendTimeout == nil)
      let pending = loop.sleep(for: .seconds(100)) { _ in }
      // The wheel of timers may have to look at this one in between, so it may be less than the time.
      #expect(try #require(loop.backendTimeout) <= .seconds(101))
      pending.cancel()
      #expect(loop.backendTimeout == .zero)
      while try loop.runNoWait() {}
      loop.shutdown()
      #expect(loop.backendTimeout == .zero)
    }
  }

  @Test(.rule(45)) func `Another loop polls this one, and runs it without waiting`() async throws {
    let log = Log<String>()
    let turns = Log<Int32>()
    try await withThread {
      let loop = try EventLoop()
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let address = try listener.localAddress()
      loop.spawn {
        do {
          let server = try await listener.accept().value
          // The end of the turn comes before the next wait.
          server.write("a") { _ in }
          server.write("b") { _ in }
          #expect(try await server.next().value == "c")
          log.append("server")
          listener.close()
        } catch { Issue.record(error) }
      }
      loop.spawn {
        do {
          let client = try await loop.tcp.connect(to: address).value
          var count = 0
          while count < 2 { count += try await client.next().value?.count ?? 2 }
          try await loop.sleep(for: .milliseconds(100)).value
          _ = try await loop.files.stat("/").value
          try await client.write("c").value
          log.append("client")
        } catch { Issue.record(error) }
      }
      try Self.drive(loop, turns: turns)
      #expect(loop.statistics.isIdle)
      loop.shutdown()
    }
    #expect(log.values.sorted() == ["client", "server"])
    #expect(turns.values.contains { $0 > 0 && $0 <= 101 }, "\(turns.values)")
    // It waits, and does not go round and round.
    #expect(turns.values.count < 100)
  }

  @Test func whatOtherThreadsSendWakesThePoll() async throws {
    let log = Log<Int>()
    try await withThread {
      let loop = try EventLoop()
      let executor = loop.executor
      loop.spawn {
        for number in 0..<5 {
          await Task.detached { try? await executor.submit { _ in log.append(number) } }.value
        }
      }
      try Self.drive(loop)
      loop.shutdown()
    }
    #expect(log.values == [0, 1, 2, 3, 4])
  }

  @Test func oneTurnAtATime() async throws {
    try await withThread {
      let loop = try EventLoop()
      #expect(try !loop.runNoWait())
      let log = Log<Int>()
      loop.queueMicrotask { log.append(0) }
      loop.sleep(for: .milliseconds(1)) { _ in log.append(1) }
      while try loop.runOnce() {}
      #expect(log.values == [0, 1])
      loop.sleep(for: .untilCancelled) { _ in }
      #expect(try loop.runNoWait())
      // The wheel may look earlier, never later.
      #expect(loop.backendTimeout.map { $0 > .zero && $0 <= .untilCancelled } == true)
      loop.spawn { loop.stop() }
      #expect(try !loop.runOnce())
      loop.shutdown()
      #expect(loop.backendFD == -1)
      #expect(throws: UVError(.loopClosed, operation: "run")) { try loop.runOnce() }
    }
  }

  @Test func `A turn that was stopped is followed by turns as before`() async throws {
    let log = Log<String>()
    try await withThread {
      let loop = try EventLoop()
      for number in 0..<3 {
        loop.sleep(for: .untilCancelled) { _ in log.append("never") }
        loop.spawn {
          do throws(UVError) { try await loop.sleep(for: .untilCancelled).value } catch {
            log.append("\(number) \(error.name)")
          }
        }
        loop.sleep(for: .zero) { _ in loop.stop() }
        while try number == 1 ? loop.runOnce() : loop.runNoWait() {}
        // What was stopped is over: the next task isn't cancelled, and there is work left.
        let task = loop.spawn { log.append("\(number) \(Task.isCancelled)") }
        while task.resultIfFinished == nil { #expect(try loop.runNoWait()) }
      }
      let left = loop.statistics.timers
      #expect(left == 3)
      loop.shutdown()
    }
    let rounds = (0..<3).flatMap { ["\($0) ECANCELED", "\($0) false"] }
    #expect(log.values == rounds + ["never", "never", "never"])
  }

  @Test func `A timeout counts from the moment at which it is asked for`() async throws {
    try await withThread {
      let loop = try EventLoop()
      _ = try loop.runNoWait()
      let begin = LoopClock.Instant.now
      let sleep = loop.sleep(for: .milliseconds(300)) { _ in }
      usleep(200_000)
      let passed = begin.duration(to: .now)
      let timeout = try #require(loop.backendTimeout)
      // A busy machine may take longer. Then it is due.
      #expect(timeout <= max(.milliseconds(302) - passed, .milliseconds(1)), "\(timeout) after \(passed)")
      sleep.cancel()
      loop.shutdown()
    }
  }

  /// The callback in which the timeout is asked for.
  enum Callback: CaseIterable { case immediate, timer, quietTimer }

  @Test(arguments: Callback.allCases)
  func `A timeout that is asked for in a callback knows all timers, and those of that callback`(
    callback: Callback
  ) async throws {
    let timeouts = Log<Duration?>()
    try await withCallbackLoop { loop in
      func ask(_ done: @escaping () -> Void) {
        switch callback {
        case .immediate: loop.sleep(for: .zero) { _ in done() }
        case .timer: loop.sleep(for: .milliseconds(1)) { _ in done() }
        case .quietTimer:
          // It doesn't keep the loop running.
          let keep = loop.sleep(for: .untilCancelled * 3) { _ in }
          _ = loop.sleepQuietly(for: .milliseconds(1)) { _ in
            done()
            keep.cancel()
          }
        }
      }
      // The other wheel knows this one.
      let other =
        callback == .quietTimer
        ? loop.sleepQuietly(for: .untilCancelled * 2) { _ in }
        : loop.sleep(for: .untilCancelled * 2) { _ in }
      func look() {
        timeouts.append(loop.backendTimeout)
        let sleep = loop.sleep(for: .untilCancelled) { _ in }
        timeouts.append(loop.backendTimeout)
        sleep.cancel()
        other.cancel()
      }
      // The first wait is none: the loop's own descriptors are polled from then on.
      loop.sleep(for: .milliseconds(1)) { _ in ask { look() } }
    }
    #expect(timeouts.values.count == 2)
    for (timeout, limit) in zip(timeouts.values, [2, 1]) {
      // The wheel may look earlier, never later.
      let most = (Duration.untilCancelled + .seconds(1)) * limit
      #expect(timeout.map { $0 > .zero && $0 <= most } == true, "\(timeouts.values)")
    }
  }

  #if os(Linux)
  @Test func `Where no loop can be made, to ask whose a loop is keeps no memory`() async throws {
    await #expect(processExitsWith: .success) {
      let limit = DescriptorLimit.set(0)
      let loop = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 16)
      var growths: [Int] = []
      growths.reserveCapacity(10)
      for _ in 0..<10 {
        let before = Hooks.heapInUse ?? 0
        // It can't find out, and takes it for its own.
        for _ in 0..<100 { precondition(EventLoop.isOwnLibuv(loop)) }
        growths.append((Hooks.heapInUse ?? 0) - before)
      }
      _ = DescriptorLimit.set(limit)
      precondition(growths.sorted()[4] < 100 * 24, "\(growths)")
    }
  }
  #endif

  @Test(.rule(40)) func `No turn inside a run`() async throws {
    try await withLoop { loop in
      #expect(throws: UVError(.loopRunning, operation: "run")) { try loop.runNoWait() }
      #expect(throws: UVError(.loopRunning, operation: "run")) { try loop.runOnce() }
    }
  }
}
