import Dispatch
import Foundation
import Testing
import UV
import UVTestSupport

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The loop and other threads: rules 37 to 41, 44, 47 and 49.
@Suite struct LoopRuleTests {
  @Test(.rule(37)) func `A loop can be stopped from any thread`() async throws {
    try await withLoop { loop in
      let executor = loop.executor
      loop.spawn {
        await expectError(.cancelled, of: try await loop.sleep(for: .untilCancelled).value)
      }
      try await loop.sleep(for: .zero).value
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<8 { group.addTask { executor.stop() } }
      }
    }
  }

  @Test("What one thread sends arrives whole and in order, however few wake-ups there are", .rule(38))
  func executeKeepsTheOrderOfEachThread() async throws {
    try await withLoop { loop in
      let executor = loop.executor
      let log = Log<Int>()
      try await Task.detached {
        for index in 0..<1000 { try executor.execute { _ in log.append(index) } }
      }.value
      try await loop.until { log.values.count >= 1000 }
      #expect(log.values == Array(0..<1000))
    }
  }

  @Test(.rule(39)) func `What is sent to a loop that is going either runs or is refused`() async throws {
    for _ in 0..<20 {
      let ran = Log<Int>()
      let refused = Log<Int>()
      let executor = Box<LoopExecutor>(nil)
      let senders = Log<Task<Void, Never>>()
      try await withThread {
        let loop = try EventLoop()
        let face = loop.executor
        executor.value = face
        for sender in 0..<8 {
          senders.append(
            Task.detached {
              for index in 0..<100 {
                do throws(UVError) {
                  try face.execute { _ in ran.append(sender * 100 + index) }
                } catch { refused.append(sender * 100 + index) }
              }
            })
        }
        loop.runCallbacks { loop in loop.sleep(for: .zero) { _ in } }
        loop.shutdown()
      }
      for sender in senders.values { await sender.value }
      #expect((ran.values + refused.values).sorted() == Array(0..<800))
      #expect(throws: UVError(.loopClosed, operation: "execute")) { try executor.value?.execute { _ in } }
    }
  }

  @Test(.rule(40)) func `A run inside a running loop says so`() async throws {
    try await withLoop { loop in
      #expect(throws: UVError(.loopRunning, operation: "run")) {
        try EventLoop.run { _ in throw CancellationError() }
      }
      #expect(throws: UVError(.loopRunning, operation: "run")) {
        try loop.runCallbacks { _ in throw CancellationError() }
      }
    }
  }

  @Test(.rule(41)) func `A stop before a run has no effect on it`() async throws {
    let log = Log<Int>()
    try await withThread {
      let loop = try EventLoop()
      loop.stop()
      loop.runCallbacks { loop in
        loop.sleep(for: .milliseconds(1)) { _ in log.append(1) }
      }
      // Nor does one that ended a run have any on the next.
      loop.runCallbacks { loop in
        loop.sleep(for: .untilCancelled) { _ in }
        loop.sleep(for: .zero) { _ in loop.stop() }
      }
      loop.runCallbacks { loop in
        loop.sleep(for: .milliseconds(1)) { _ in
          log.append(2)
          loop.stop()
        }
      }
      loop.shutdown()
    }
    #expect(log.values == [1, 2])
  }

  @Test("A watcher that is kept from keeping its loop running stays so when somebody asks", .rule(44))
  func watchersThatKeepNoLoopRunning() async throws {
    try await withThread {
      let loop = try EventLoop()
      // Ends, though somebody asks for each.
      try loop.runCallbacks { loop in
        let watchers: [Handle] = try [
          loop.signals(.user1), loop.files.watch("/tmp"),
          loop.files.watchStatus("/tmp", every: .seconds(1000)),
        ]
        for watcher in watchers {
          #expect(!watcher.keepsLoopRunning)
          watcher.keepsLoopRunning = false
        }
        (watchers[0] as? SignalWatcher)?.start { _ in }
        (watchers[1] as? FileWatcher)?.next { _ in }
        (watchers[2] as? FileStatusWatcher)?.next { _ in }
        #expect(watchers.allSatisfy { !$0.keepsLoopRunning })
        // The other way round: kept though nobody asks.
        let watcher = try loop.signals(.user2)
        watcher.keepsLoopRunning = true
        watcher.next { _ in }.cancel()
        loop.sleep(for: .milliseconds(1)) { _ in
          #expect(watcher.keepsLoopRunning)
          watcher.close()
        }
        let asked = try loop.signals(.windowChange)
        let pending = asked.next { _ in }
        #expect(asked.keepsLoopRunning)
        pending.cancel()
        #expect(!asked.keepsLoopRunning)
      }
      loop.shutdown()
    }
  }

  @Test("A handle can be kept from keeping its loop running, but not from ending its requests", .rule(44))
  func handlesThatKeepNoLoopRunning() async throws {
    let log = Log<String>()
    try await withThread {
      let loop = try EventLoop()
      try loop.runCallbacks { loop in
        let timer = try LoopTimer(loop)
        try timer.start(after: .seconds(1000)) { log.append("fired") }
        timer.keepsLoopRunning = false
        #expect(!timer.keepsLoopRunning)
        #expect(timer.isActive)
        let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
        listener.keepsLoopRunning = false
        listener.start { result in
          // Nobody waits for this end: the writer's request is what keeps the loop running.
          guard let server = try? result.get() else { return }
          server.keepsLoopRunning = false
          server.start { _ in }
        }
        loop.tcp.connect(to: try listener.localAddress()) { result in
          guard let client = try? result.get() else { return }
          client.keepsLoopRunning = false
          client.write(Bytes(repeating: 1, count: 16 << 20)) {
            log.append("written \($0.error?.name ?? "ok")")
          }
        }
      }
      loop.shutdown()
    }
    #expect(log.values == ["written ok"])
  }

  #if os(Linux)
  @Test(.rule(46)) func `A loop does not survive a fork, and says so`() async throws {
    let status = try await withThread {
      let loop = try EventLoop()
      let child = fork()
      if child == 0 {
        do throws(UVError) {
          try loop.runCallbacks { _ throws(UVError) in }
          _exit(1)
        } catch { _exit(error.code == .loopForked ? 42 : 2) }
      }
      var status: Int32 = 0
      waitpid(child, &status, 0)
      loop.shutdown()
      return status
    }
    #expect(status == 42 << 8)
  }
  #endif

  @Test(.rule(47)) func `A signal watcher closes, also while signals come`() async throws {
    try await withLoop { loop in
      for round in 0..<50 {
        // By default this one is ignored, should it be late.
        let watcher = try loop.signals(.windowChange)
        if round % 2 == 0 { watcher.start { _ in } }
        for _ in 0..<round % 4 { kill(getpid(), SIGWINCH) }
        try await watcher.close().value
      }
      #expect(loop.statistics.handles == 0)
    }
  }

  @Test("What was gathered leaves at the end of the turn, with nothing else to do", .rule(49))
  func gatheredWritesLeave() async throws {
    let log = Log<String>()
    try await withCallbackLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      listener.accept { result in
        guard let server = try? result.get() else { return }
        // Both ends only wait from here on.
        server.start { result in
          guard let bytes = try? result.get() else { return _ = server.close() }
          log.append(bytes.description)
        }
        listener.close()
      }
      loop.tcp.connect(to: try listener.localAddress()) { result in
        guard let client = try? result.get() else { return }
        client.write("a") { _ in }
        // Behind a write whose end has not been reported.
        client.write("b") { _ in client.close() }
        #expect(client.writeQueueSize == 1)
      }
    }
    #expect(log.values.joined() == "ab")
  }

  @Test("A loop that ends on another thread is not the current one of the thread that made it")
  func aLoopThatEndsElsewhere() async throws {
    try await withThread {
      let box = Box<EventLoop>(try EventLoop())
      #expect(EventLoop.current === box.value)
      let done = DispatchSemaphore(value: 0)
      Thread {
        box.value?.shutdown()
        box.value = nil
        done.signal()
      }.start()
      done.wait()
      #expect(EventLoop.current == nil)
      EventLoop.run { loop in try? await loop.sleep(for: .zero).value }
    }
  }

  @Test func `The time of a loop that has been shut down is the clock's`() async throws {
    try await withThread {
      let loop = try EventLoop()
      let before = loop.now
      loop.shutdown()
      loop.updateTime()
      #expect(loop.now >= before)
    }
  }
}
