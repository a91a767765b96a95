#if Everything
import CUV
import Foundation
import Testing
import UV
import UVFutures
import UVPromises
import UVTestSupport

/// A loop that belongs to a host: everything works on it, and leaving it leaves it as it was.
@Suite struct AdoptionTests {
  /// Runs `body` in a host, and checks that the host can close its loop afterwards.
  func withHost(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: @escaping @Sendable (Host) throws -> Void
  ) async throws {
    try await withThread(sourceLocation: sourceLocation) {
      let host = Host()
      try body(host)
      #expect(host.hasItsData, sourceLocation: sourceLocation)
      #expect(host.close() == 0, sourceLocation: sourceLocation)
      #expect(EventLoop.current == nil, sourceLocation: sourceLocation)
    }
  }

  @Test func theLagOfALoopInAHostContainsTheHostsCallbacks() async throws {
    try await withHost { host in
      let loop = try EventLoop(adopting: host.loop)
      try loop.configure(.lag)
      let timer = UnsafeMutablePointer<uv_timer_t>.allocate(capacity: 1)
      uv_timer_init(host.loop, timer)
      uv_timer_start(timer, { _ in usleep(30_000) }, 2, 0)
      // Until the host's callback has been called, and the turn after that.
      for _ in 0..<3 { loop.sleep(for: .milliseconds(20)) { _ in } }
      host.run()
      loop.sleep(for: .milliseconds(1)) { _ in }
      host.run()
      // libuv's time of the turn's beginning may be 2 ms late.
      #expect(loop.lag.max >= .milliseconds(28))
      uv_close(UnsafeMutableRawPointer(timer).assumingMemoryBound(to: uv_handle_t.self)) { $0?.deallocate() }
      host.run()
    }
  }

  @Test(arguments: [false, true]) func everyStyleWorksInAHost(isPolled: Bool) async throws {
    let log = Log<String>()
    try await withHost { host in
      let loop = try EventLoop(adopting: host.loop)
      #expect(loop.isAdopted)
      var subscriptions: Set<AnyCancellable> = []
      loop.files.stat("/") { log.append("callback \($0.value?.type == .directory)") }
      loop.files.stat("/").promise()
        .then { status in loop.sleep(for: .milliseconds(2)).promise().map { status } }
        .done { log.append("promise \($0.type == .directory)") }
        .catch { _ in log.append("promise failed") }
      loop.files.stat("/").publisher()
        .delay(for: .milliseconds(2), scheduler: loop)
        .sink { _ in
        } receiveValue: {
          log.append("publisher \($0.type == .directory)")
        }
        .store(in: &subscriptions)
      loop.spawn {
        do throws(UVError) {
          let status = try await loop.files.stat("/").value
          try await loop.sleep(for: .milliseconds(2)).value
          log.append("async \(status.type == .directory)")
        } catch { log.append("async \(error)") }
      }
      #expect(log.values.isEmpty)
      if isPolled { host.runByPolling() } else { host.run() }
      #expect(log.values.sorted() == ["async true", "callback true", "promise true", "publisher true"])
      #expect(loop.statistics.isIdle)
      loop.detach()
      host.turn()
      #expect(host.foreignHandles == 0)
    }
  }

  @Test(
    "What the answer of a file leads to is answered once if that answer leaves the host, before or after",
    arguments: [1, 7, 8, 9, 30], [false, true])
  func anAnswerOfAFileLeaves(count: Int, leavesFirst: Bool) async throws {
    let answers = Log<String>()
    try await withHost { host in
      let loop = try EventLoop(adopting: host.loop)
      loop.files.open("/etc/passwd") { result in
        guard case .success(let file) = result else { return }
        if leavesFirst { loop.detach { _ in answers.append("left") } }
        for _ in 0..<count { file.read(10, at: 0) { answers.append("read \($0.error?.name ?? "")") } }
        file.close { answers.append("closed \($0.error?.name ?? "")") }
        if !leavesFirst { loop.detach { _ in answers.append("left") } }
      }
      host.run()
      #expect(host.foreignHandles == 0)
    }
    #expect(answers.values.last == "left")
    let reads = Array(repeating: leavesFirst ? "read ELOOPCLOSED" : "read ECANCELED", count: count)
    #expect(answers.values.dropLast().sorted() == ["closed "] + reads)
  }

  @Test("A tree is watched in a host, which is left amid a look and between looks", arguments: [false, true])
  func aWatchedTreeInAHost(isPolled: Bool) async throws {
    try await withTemporaryDirectory { directory in
      for number in 0..<1000 { mkdir("\(directory)/\(number)", 0o755) }
      let log = Log<String>()
      try await withHost { host in
        for isWholeScan in [false, true] {
          let loop = try EventLoop(adopting: host.loop)
          let watcher = try loop.files.watch(directory, recursive: true)
          if isWholeScan {
            loop.spawn {
              do {
                while try await watcher.next().value?.kinds != .complete {}
                mkdir("\(directory)/999/inner", 0o755)
                log.append(try await watcher.next().value?.name?.string ?? "")
              } catch { Issue.record(error) }
            }
            if isPolled { host.runByPolling() } else { host.run() }
          } else {
            host.turn()
          }
          loop.detach()
          if isPolled { host.runByPolling() } else { host.run() }
          #expect(host.foreignHandles == 0 && watcher.isClosing)
          #expect(!openDescriptors().values.contains { $0.contains("inotify") })
        }
      }
      #expect(log.values == ["999/inner"])
    }
  }

  /// A write that is put off to the end of the turn must not wait for the host's next event.
  @Test(arguments: [false, true]) func aConversationInAHost(isPolled: Bool) async throws {
    let received = Log<Int>()
    try await withHost { host in
      let loop = try EventLoop(adopting: host.loop)
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let address = try listener.localAddress()
      loop.spawn {
        do {
          let server = try await listener.accept().value
          for try await chunk in server {
            server.write(chunk) { _ in }
            server.write("!") { _ in }
          }
          listener.close()
        } catch { Issue.record(error) }
      }
      loop.spawn {
        do {
          let client = try await loop.tcp.connect(to: address).value
          for _ in 0..<10 {
            try await client.write("hello").value
            var count = 0
            while count < 6, let chunk = try await client.next().value { count += chunk.count }
            received.append(count)
          }
          client.close()
        } catch { Issue.record(error) }
      }
      if isPolled { host.runByPolling() } else { host.run() }
      loop.detach()
    }
    #expect(received.values == Array(repeating: 6, count: 10))
  }

  @Test func detachingEndsWhatIsPendingWithCancelled() async throws {
    let log = Log<String>()
    try await withHost { host in
      let loop = try EventLoop(adopting: host.loop)
      loop.sleep(for: .untilCancelled) { log.append("sleep \($0.error?.name ?? "ok")") }
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      listener.accept { log.append("accept \($0.error?.name ?? "ok")") }
      loop.sleep(for: .untilCancelled).promise()
        .done { log.append("promise") }
        .catch(policy: .allErrors) { _ in log.append("promise ECANCELED") }
      loop.spawn {
        do throws(UVError) { try await loop.sleep(for: .untilCancelled).value } catch {
          log.append("task \(error.name)")
        }
      }
      host.startTicking()
      host.turn()
      loop.files.open("/etc/passwd") { log.append("open \($0.error?.name ?? "ok")") }
      loop.detach { log.append("detached \($0.error?.name ?? "ok")") }
      #expect(loop.isClosed)
      host.stopTicking()
      host.run()
      #expect(
        log.values.sorted() == [
          "accept ECANCELED", "detached ok", "open ECANCELED", "promise ECANCELED", "sleep ECANCELED",
          "task ECANCELED",
        ])
      #expect(log.values.last == "detached ok")
      #expect(host.foreignHandles == 0)
      #expect(loop.statistics.isIdle)
    }
  }

  @Test func theHostGoesOnAsBefore() async throws {
    try await withHost { host in
      host.startTicking()
      let loop = try EventLoop(adopting: host.loop)
      while host.ticks < 3 { host.turn() }
      loop.detach()
      while host.foreignHandles > 0 { host.turn() }
      let ticks = host.ticks
      while host.ticks < ticks + 3 { host.turn() }
      host.stopTicking()
    }
  }

  @Test func droppingTheLoopLeavesTheHost() async throws {
    try await withHost { host in
      for _ in 0..<20 {
        _ = try EventLoop(adopting: host.loop)
        host.turn()
        #expect(host.foreignHandles == 0)
      }
    }
  }

  @Test func whatIsUnderWayKeepsADroppedLoop() async throws {
    let log = Log<String>()
    try await withHost { host in
      do {
        let loop = try EventLoop(adopting: host.loop)
        loop.sleep(for: .milliseconds(1)) { log.append("sleep \($0.error?.name ?? "ok")") }
        loop.files.stat("/") { log.append("stat \($0.error?.name ?? "ok")") }
        loop.queueMicrotask { log.append("microtask") }
        _ = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      }
      host.run()
      #expect(log.values.sorted() == ["microtask", "sleep ok", "stat ok"])
      #expect(host.foreignHandles == 0)
    }
  }

  @Test func aHandleThatGoesOnAnotherThread() async throws {
    try await withHost { host in
      let loop = try EventLoop(adopting: host.loop)
      let box = Box(try loop.tcp.listen(host: "127.0.0.1", port: 0))
      loop.spawn {
        await Task.detached { box.value = nil }.value
      }
      host.run()
      while loop.statistics.handles > 0 { host.turn() }
      loop.detach()
    }
  }

  @Test func twoOnOneLoop() async throws {
    let log = Log<Int>()
    try await withHost { host in
      let first = try EventLoop(adopting: host.loop)
      let second = try EventLoop(adopting: host.loop)
      first.sleep(for: .milliseconds(1)) { _ in log.append(1) }
      second.sleep(for: .milliseconds(1)) { _ in log.append(2) }
      host.run()
      first.detach()
      host.run()
      second.sleep(for: .milliseconds(1)) { _ in log.append(3) }
      host.run()
      second.detach()
    }
    #expect(log.values.sorted() == [1, 2, 3])
  }

  @Test func whatIsTheHostsBusinessIsRefused() async throws {
    try await withHost { host in
      let loop = try EventLoop(adopting: host.loop)
      #expect(throws: UVError(.loopAdopted, operation: "run")) {
        try loop.run { _ in throw CancellationError() }
      }
      #expect(throws: UVError(.loopAdopted, operation: "run")) { try loop.runNoWait() }
      loop.stop()
      loop.shutdown()
      loop.shutdown()
      #expect(throws: UVError(.loopClosed, operation: "run")) { try loop.runOnce() }
      let log = Log<UVError.Code?>()
      loop.sleep(for: .zero) { log.append($0.error?.code) }
      loop.files.stat("/") { log.append($0.error?.code) }
      loop.detach { log.append($0.error?.code) }
      host.run()
      loop.detach { log.append($0.error?.code) }
      #expect(log.values == [.loopClosed, .loopClosed, nil, nil])
    }
  }

  @Test func otherThreadsReachAnAdoptedLoop() async throws {
    let log = Log<Bool>()
    try await withHost { host in
      let loop = try EventLoop(adopting: host.loop)
      let executor = loop.executor
      loop.spawn {
        let answer = await Task.detached { try? await executor.submit { $0.executor.isOnLoop } }.value
        log.append(answer == true && executor.isOnLoop)
      }
      host.run()
      loop.detach()
    }
    #expect(log.values == [true])
  }
}
#endif
