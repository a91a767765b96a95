import Testing
import UV
import UVTestSupport

/// Callbacks and tasks that ask again each time that they are called.
@Suite("What repeats itself") struct LastRoundTests {
  @Test func `ends after one call if that is made after a shutdown`() async throws {
    try await withThread {
      let loop = try EventLoop()
      loop.shutdown()
      var names: [String] = []
      func again() {
        loop.sleep(for: .milliseconds(1)) {
          names.append($0.error?.name ?? "ok")
          if names.count < 1000 { again() }
        }
      }
      again()
      #expect(names == ["ELOOPCLOSED"])
      var files = 0
      func stat() {
        loop.files.stat("/") { _ in
          files += 1
          if files < 1000 { stat() }
        }
      }
      stat()
      #expect(files == 1)
      // Another request is called back all the same.
      again()
      #expect(names == ["ELOOPCLOSED", "ELOOPCLOSED"])
    }
  }

  @Test func `ends when its loop stops, after one call`() async throws {
    let log = Log<String>()
    try await withThread {
      EventLoop.runCallbacks { loop in
        func again() {
          loop.sleep(for: .untilCancelled) {
            log.append($0.error?.name ?? "ok")
            if log.values.count < 1000 { again() }
          }
        }
        again()
        loop.sleep(for: .zero) { _ in loop.stop() }
      }
    }
    #expect(log.values == ["ECANCELED"])
  }

  @Test func `ends while a task that a completion resumes gets an error each time`() async throws {
    let log = Log<String>()
    try await withThread {
      EventLoop.runCallbacks { loop in
        loop.spawn {
          for _ in 0..<5 {
            do throws(UVError) { _ = try await loop.files.stat("/nowhere").value } catch {}
            let pending = Log<String>()
            loop.sleep(for: .untilCancelled) { pending.append($0.error?.name ?? "ok") }
            while pending.values.isEmpty, !Task.isCancelled { await Task.yield() }
            log.append("asked")
          }
        }
        loop.sleep(for: .zero) { _ in loop.stop() }
      }
    }
    #expect(log.values.count == 5)
  }

  @Test func `ends with every kind of request`() async throws {
    let log = Log<String>()
    try await withThread {
      let loop = try EventLoop()
      let file = try loop.run { loop throws(UVError) in
        try await loop.files.open("/etc/passwd", .readOnly).value
      }
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let socket = try loop.udp.bind(host: "127.0.0.1", port: 0)
      func again(_ name: String, _ ask: @escaping (@escaping () -> Void) -> Void) {
        func once() {
          ask {
            log.append(name)
            if log.values.count < 1000 { once() }
          }
        }
        once()
      }
      again("sleep") { done in loop.sleep(for: .untilCancelled) { _ in done() } }
      again("accept") { done in listener.accept { _ in done() } }
      again("next") { done in socket.next { _ in done() } }
      again("lookup") { done in loop.dns.resolve("localhost") { _ in done() } }
      again("readFile") { done in loop.files.readFile("/etc/passwd") { _ in done() } }
      again("stat") { done in loop.files.stat("/etc") { _ in done() } }
      again("opendir") { done in loop.files.opendir("/etc", batchSize: 0) { _ in done() } }
      again("read") { done in file.read(10) { _ in done() } }
      again("work") { done in loop.work({ 1 }) { _ in done() } }
      again("random") { done in loop.random(-1) { _ in done() } }
      again("connect") { done in loop.tcp.connect(host: "127.0.0.1", port: -1) { _ in done() } }
      again("send") { done in socket.send("", to: try! SocketAddress("127.0.0.1", port: 9)) { _ in done() } }
      again("timeout") { done in
        loop.sleep(for: .seconds(1)).timeout(after: .seconds(1)).start { _ in done() }
      }
      again("graceful") { done in loop.shutdownGracefully(within: .seconds(1)) { _ in done() } }
      loop.shutdown()
    }
    let counts = Dictionary(log.values.map { ($0, 1) }, uniquingKeysWith: +)
    #expect(counts.count == 14)
    // What is decided before the end is reported, and asks again.
    #expect(counts.values.allSatisfy { $0 <= 2 }, "\(counts)")
  }

  @Test func `ends when its task spawns the next`() async throws {
    let log = Log<Bool>()
    try await withThread {
      EventLoop.runCallbacks { loop in
        func again() {
          loop.spawn {
            _ = try? await loop.sleep(for: .milliseconds(1)).value
            log.append(Task.isCancelled)
            if log.values.count < 1000 { again() }
          }
        }
        again()
        loop.sleep(for: .milliseconds(4)) { _ in loop.stop() }
      }
    }
    #expect(log.values.count { $0 } <= 20)
    #expect(log.values.count { $0 } > 1)
  }

  @Test func `ends when its task spawns the next by way of a microtask`() async throws {
    let log = Log<Bool>()
    try await withThread {
      let loop = try EventLoop()
      func again() {
        loop.spawn {
          log.append(Task.isCancelled)
          loop.queueMicrotask {
            loop.queueMicrotask { if log.values.count < 1000 { again() } }
          }
        }
      }
      again()
      loop.shutdown()
    }
    #expect(log.values.allSatisfy { $0 })
    #expect(log.values.count <= 20)
  }

  @Test("A task that is spawned after a shutdown is not begun, unless somebody waits for it")
  func spawnedAfterAShutdown() async throws {
    let log = Log<String>()
    try await withThread {
      let loop = try EventLoop()
      loop.shutdown()
      let task = loop.spawn { () async -> Int in
        log.append("begun \(Task.isCancelled)")
        do throws(UVError) { try await loop.sleep(for: .untilCancelled).value } catch {
          log.append(error.name)
        }
        return 7
      }
      #expect(log.values == [])
      #expect(task.resultIfFinished == nil)
      task.cancel()
      EventLoop.runCallbacks { other in other.spawn { log.append("\(await task.value)") } }
      loop.spawn { log.append("never") }
    }
    #expect(log.values == ["begun true", "ECANCELED", "7"])
  }

  @Test func `A completion that is queued before a shutdown gets its request's outcome`() async throws {
    let log = Log<String>()
    try await withThread {
      let loop = try EventLoop()
      // Decided, but not reported yet.
      loop.queueMicrotask {
        loop.files.stat("/") { log.append("stat \($0.error?.name ?? "ok")") }
        log.append("microtask")
      }
      // What is sent from outside is no answer either.
      try loop.executor.execute { loop in
        loop.files.stat("/") { log.append("sent \($0.error?.name ?? "ok")") }
      }
      loop.shutdown()
    }
    #expect(log.values.sorted() == ["microtask", "sent ELOOPCLOSED", "stat ELOOPCLOSED"])
  }
}
