import CTestHooks
import Foundation
import Testing
import UV
import UVTestSupport

/// What a reader of the sources has found, one test each.
@Suite struct RegressionTests {
  @Test("To cancel what has completed does nothing, also after its loop has gone")
  func cancelledTooLate() async throws {
    try await withThread {
      let loop = try EventLoop()
      var pending: [PendingRequest] = []
      try loop.runCallbacks { loop in
        pending.append(loop.work({ 1 }) { _ in })
        pending.append(loop.random(8) { _ in })
        pending.append(try loop.dns.nameInfo(of: SocketAddress("127.0.0.1", port: 1)) { _ in })
        pending.append(loop.files.readFile("/etc/hosts") { _ in })
      }
      for request in pending { request.cancel() }
      loop.shutdown()
      for request in pending { request.cancel() }
    }
  }

  @Test("Work that is cancelled while it waits for a thread, and cancelled again, is answered once")
  func cancelledTwice() async throws {
    let log = Log<String>()
    try await withLoop { loop in
      let gate = DispatchSemaphore(value: 0)
      let busy = (0..<poolThreads).map { _ in loop.work { gate.wait() } }
      for work in busy { work.start { _ in } }
      let pending = loop.work({ 1 }) { log.append($0.error?.name ?? "ok") }
      pending.cancel()
      try await loop.sleep(for: .zero).value
      pending.cancel()
      for _ in busy { gate.signal() }
      _ = try await loop.work { 2 }.value
      pending.cancel()
      // The request list is whole.
      _ = try await loop.work { 3 }.value
    }
    #expect(log.values == ["ECANCELED"])
  }

  @Test("Of two writes in one turn to a stream that refuses them, both are refused")
  func twoRefusedWrites() async throws {
    let log = Log<String>()
    try await withPair { loop, client, server in
      func note(_ name: String) -> (Result<Void, UVError>) -> Void {
        { log.append("\(name) \($0.error?.name ?? "ok")") }
      }
      client.write("A", note("A"))
      client.write("B", note("B"))
      client.shutdown(note("shutdown"))
      client.write("C", note("C"))
      client.write("D", note("D"))
      var bytes: [UInt8] = []
      while let part = try await server.read().value { bytes += part }
      #expect(bytes == Array("AB".utf8))
      try await client.close().value
      client.write("E", note("E"))
      client.write("F", note("F"))
      try await loop.sleep(for: .zero).value
    }
    #expect(
      log.values.sorted() == [
        "A ok", "B ok", "C EPIPE", "D EPIPE", "E EBADF", "F EBADF", "shutdown ok",
      ])
  }

  @Test("Waiting for a stream to drain, or to shut down, can be cancelled")
  func waitingForAStreamIsCancelled() async throws {
    let log = Log<String>()
    try await withPair { loop, client, _ in
      client.write(Bytes(repeating: 0, count: 16 << 20)) { _ in }
      let drain = loop.spawn { () async throws(UVError) in try await client.drain().value }
      let shutdown = loop.spawn { () async throws(UVError) in try await client.shutdown().value }
      try await loop.sleep(for: .zero).value
      for task in [drain, shutdown] {
        task.cancel()
        do throws(UVError) { try await task.value } catch { log.append(error.name) }
      }
    }
    #expect(log.values == ["ECANCELED", "ECANCELED"])
  }

  @Test("A stream whose last write was cancelled is shut down once")
  func shutDownAfterACancelledWrite() async throws {
    let log = Log<String>()
    try await withPair { loop, client, server in
      client.write("A") { _ in }
      let pending = client.write("B") { log.append("B \($0.error?.name ?? "ok")") }
      pending.cancel()
      client.shutdown { log.append("shutdown \($0.error?.name ?? "ok")") }
      #expect(try await server.read().value == "A")
      #expect(try await server.read().value == nil)
      try await client.close().value
    }
    #expect(log.values == ["B ECANCELED", "shutdown ok"])
  }

  @Test("A completion that a shutdown calls may spawn: the task is cancelled, and waited for")
  func spawnedDuringAShutdown() async throws {
    let log = Log<String>()
    try await withThread {
      EventLoop.runCallbacks { loop in
        loop.sleep(for: .seconds(1000)) { _ in
          loop.spawn {
            log.append("\(Task.isCancelled)")
            do throws(UVError) { try await loop.sleep(for: .seconds(1000)).value } catch {
              log.append(error.name)
            }
            loop.spawn { log.append("again") }
          }
        }
        loop.sleep(for: .milliseconds(1)) { _ in loop.stop() }
      }
    }
    #expect(log.values == ["true", "ECANCELED", "again"])
  }

  @Test(
    "Tasks that end at any point of a shutdown leave it whole", arguments: [1000, 16_500, 18_000, 20_300])
  func tasksThatEndDuringAShutdown(yields: Int) async throws {
    let log = Log<Int>()
    try await withThread {
      let loop = try EventLoop()
      loop.spawn {
        for _ in 0..<yields { await Task.yield() }
        log.append(yields)
      }
      loop.shutdown()
    }
    #expect(log.values == [yields])
  }

  @Test("A listener or a watcher whose last reference goes elsewhere is not called any more")
  func idleHandlesThatGoElsewhere() async throws {
    try await withLoop { loop in
      for round in 0..<100 {
        let listener = Box<TCPListener>(try loop.tcp.listen(host: "127.0.0.1", port: 0))
        let watcher = Box<SignalWatcher>(try loop.signals(Signal(rawValue: SIGWINCH)))
        let address = try listener.value!.localAddress()
        let client = loop.tcp.connect(to: address)
        let connecting = loop.spawn { () async throws(UVError) in try await client.value }
        DispatchQueue.global().async {
          watcher.value = nil
          listener.value = nil
        }
        kill(getpid(), SIGWINCH)
        if round % 2 == 0 { try await loop.sleep(for: .zero).value }
        // It is accepted by the system's queue, or refused or reset when the listener has gone.
        if let connection = try? await connecting.value { connection.close() }
        while loop.activity.handles > 0 { try await loop.sleep(for: .milliseconds(1)).value }
      }
    }
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

  @Test("The time of a loop that has been shut down is the clock's")
  func theTimeOfAClosedLoop() async throws {
    try await withThread {
      let loop = try EventLoop()
      let before = loop.now
      loop.shutdown()
      loop.updateTime()
      #expect(loop.now >= before)
    }
  }

  @Test("To connect to a host can be cancelled at any time", arguments: 0...3)
  func connectingIsCancelled(turns: Int) async throws {
    let log = Log<String>()
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let port = Int(try listener.localAddress().port)
      let pending = loop.tcp.connect(host: "127.0.0.1", port: port) { result in
        log.append(result.error?.name ?? "connected")
        if case .success(let connection) = result { connection.close() }
      }
      for _ in 0..<turns { await Task.yield() }
      pending.cancel()
      while log.values.isEmpty { try await loop.sleep(for: .zero).value }
      listener.close()
    }
    #expect(turns > 0 || log.values == ["ECANCELED"])
    #expect(log.values.count == 1)
  }

  @Test("A timer that has fired lets its handler go, and is not started again without one")
  func aTimerThatHasFired() async throws {
    final class Token {}
    try await withLoop { loop in
      weak var kept: Token?
      let timer = try LoopTimer(loop)
      let fired = Log<Int>()
      do {
        let token = Token()
        kept = token
        try timer.start(after: .milliseconds(1)) { [token] in
          _ = token
          fired.append(1)
        }
      }
      while fired.values.isEmpty { try await loop.sleep(for: .milliseconds(1)).value }
      #expect(kept == nil)
      timer.repeatInterval = .milliseconds(1)
      #expect(throws: UVError.self) { try timer.again() }
      try timer.start(after: .milliseconds(1), repeating: .milliseconds(1)) { fired.append(2) }
      timer.stop()
      #expect(throws: UVError.self) { try timer.again() }
      #expect(!timer.isActive)
      timer.close()
    }
  }

  @Test("A listener that serves one after the other comes to its end in a graceful shutdown")
  func aBusyListenerEndsGracefully() async throws {
    let log = Log<String>()
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let address = try listener.localAddress()
      let service = loop.spawn { () async throws(UVError) in
        for try await connection in listener {
          log.append("serving")
          while let bytes = try await connection.read().value { try await connection.write(bytes).value }
          try await connection.close().value
        }
        log.append("end")
      }
      let client = try await loop.tcp.connect(to: address).value
      try await client.write("x").value
      _ = try await client.read().value
      let shutdown = loop.spawn { () async throws(UVError) in
        try await loop.shutdownGracefully(within: .seconds(1000)).value
      }
      try await loop.sleep(for: .zero).value
      try await client.close().value
      _ = try await shutdown.value
      try await service.value
    }
    #expect(log.values == ["serving", "end"])
  }

  @Test("A handler that stops and starts a ticker is called once for each tick")
  func ticksThatAreStartedAnew() async throws {
    let log = Log<Int>()
    try await withCallbackLoop { loop in
      let ticks = loop.ticks(every: .milliseconds(2))
      // That the program ends shows that no tick is left; this one is never due.
      let never = loop.ticks(every: .seconds(Int64.max))
      never.start { _ in log.append(-1) }
      func again(_ result: Result<Tick?, UVError>) {
        guard case .success(let tick?) = result else { return }
        log.append(tick.index)
        ticks.stop()
        if log.values.count < 5 { ticks.start(again) } else { never.stop() }
      }
      ticks.start(again)
    }
    #expect(log.values.count == 5)
    #expect(log.values == log.values.sorted() && Set(log.values).count == 5 && !log.values.contains(-1))
  }

  @Test("Durations and permissions of any size are taken")
  func extremeValues() async throws {
    try await withLoop { loop in
      for duration in [Duration.seconds(Int64.max) * 2, .seconds(Int64.min) * 2, .nanoseconds(Int64.max)] {
        let task = loop.spawn { () async throws(UVError) in try await loop.sleep(for: duration).value }
        try await loop.sleep(for: .zero).value
        task.cancel()
        _ = try? await task.value
      }
      try await withTemporaryDirectory { directory in
        let all = FilePermissions(rawValue: .max)
        try await loop.files.writeFile("\(directory)/f", "x", permissions: all).value
        try await loop.files.chmod("\(directory)/f", all).value
        try await loop.files.unlink("\(directory)/f").value
      }
    }
  }

  @Test("A connected socket of UDP is no connection of TCP")
  func aDatagramSocketIsRefused() async throws {
    try await withLoop { loop in
      let server = try loop.udp.bind(host: "127.0.0.1", port: 0)
      let socket = try loop.udp.connect(to: server.localAddress())
      let descriptor = try socket.fileDescriptor()
      do throws(UVError) {
        _ = try loop.tcp.open(fileDescriptor: descriptor)
        Issue.record("taken")
      } catch { #expect(error.code == .notSupported) }
      socket.close()
      server.close()
    }
  }
}
