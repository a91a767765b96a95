import Testing
import UV
import UVTestSupport

@Suite struct ShutdownTests {
  @Test func everythingPendingEndsOnceWithCancelled() async throws {
    let log = Log<String>()
    try await withThread {
      let loop = try EventLoop()
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      loop.sleep(for: .untilCancelled) { log.append("sleep \($0.error?.name ?? "ok")") }
      let server = Box<TCPConnection>(nil)
      listener.accept {
        log.append("accept \($0.error?.name ?? "ok")")
        server.value = try? $0.get()
      }
      try loop.runCallbacks { loop in
        loop.tcp.connect(to: try listener.localAddress()) { result in
          guard let client = try? result.get() else { return log.append("no connection") }
          client.next { log.append("read \($0.error?.name ?? "ok")") }
          client.write(Bytes(repeating: 1, count: 64 << 20)) { log.append("write \($0.error?.name ?? "ok")") }
          func stopOnceAccepted() {
            guard server.value == nil else { return loop.stop() }
            loop.sleep(for: .milliseconds(1)) { _ in stopOnceAccepted() }
          }
          stopOnceAccepted()
        }
      }
      #expect(!loop.statistics.isIdle)
      loop.shutdown()
      #expect(loop.statistics.isIdle)
      loop.shutdown()
      #expect(server.value?.isClosing == true)
    }
    #expect(log.values.sorted() == ["accept ok", "read ECANCELED", "sleep ECANCELED", "write ECANCELED"])
  }

  @Test func anErrorOfTheBodyEndsItsTasks() async throws {
    struct Failed: Error {}
    let log = Log<UVError.Code?>()
    try await withThread {
      #expect(throws: Failed.self) {
        try EventLoop.run { loop in
          loop.spawn {
            do throws(UVError) { try await loop.sleep(for: .untilCancelled).value } catch {
              log.append(error.code)
            }
          }
          try await loop.sleep(for: .milliseconds(1)).value
          throw Failed()
        }
      }
    }
    #expect(log.values == [.cancelled])
  }

  @Test func stopEndsARunOfCallbacks() async throws {
    try await withThread {
      let loop = try EventLoop()
      let value = loop.runCallbacks { loop in
        loop.sleep(for: .untilCancelled) { _ in }
        loop.sleep(for: .milliseconds(1)) { _ in loop.stop() }
        return 7
      }
      #expect(value == 7)
      #expect(loop.statistics.timers == 1)
      // A stop counts for its run alone.
      loop.stop()
      loop.runCallbacks { loop in loop.sleep(for: .milliseconds(1)) { _ in loop.stop() } }
      loop.shutdown()
    }
  }

  @Test func droppingALoopFreesIt() async throws {
    try await withThread {
      for _ in 0..<50 {
        let loop = try EventLoop()
        loop.runCallbacks { loop in loop.sleep(for: .zero) { _ in } }
      }
    }
  }

  @Test func aHandleMayOutliveItsLoop() async throws {
    let box = Box<TCPListener>(nil)
    try await withLoop { loop in
      box.value = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      box.value?.close()
    }
    #expect(box.value?.isClosing == true)
    #expect(box.value?.isActive == false)
    box.value = nil
  }

  @Test func aTaskThatOutlivesItsLoopEnds() async throws {
    let executor = try await withLoop { $0.executor }
    let task = Task(executorPreference: executor) { 42 }
    #expect(await task.value == 42)
  }
}
