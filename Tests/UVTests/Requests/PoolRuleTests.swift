import Foundation
import Testing
import UV
import UVTestSupport

/// The thread pool: rules 50 to 54.
@Suite struct PoolRuleTests {
  @Test(.rule(50)) func `Work that waits for long holds up files`() async throws {
    let threads = poolThreads
    let began = Log<Int>()
    let log = Log<String>()
    try await withLoop { loop in
      let gate = DispatchSemaphore(value: 0)
      for number in 0..<threads {
        loop.work {
          began.append(number)
          gate.wait()
        } _: { _ in
          log.append("work")
        }
      }
      try await loop.until { began.values.count >= threads }
      loop.files.stat("/") { _ in log.append("stat") }
      for _ in 0..<50 { try await loop.sleep(for: .zero).value }
      #expect(log.values.isEmpty)
      for _ in 0..<threads { gate.signal() }
      try await loop.until { log.values.count > threads }
      #expect(log.values.contains("stat"))
    }
  }

  @Test(.rule(51)) func `Queued work can be cancelled; work that has begun ends unseen`() async throws {
    let began = Log<Int>()
    try await withLoop { loop in
      let gate = DispatchSemaphore(value: 0)
      // More than there are threads, all of them waiting.
      let tasks = (0..<40).map { number in
        loop.spawn { () async throws(UVError) in
          try await loop.work {
            began.append(number)
            gate.wait()
          }.value
        }
      }
      try await loop.until { !began.values.isEmpty }
      for task in tasks { task.cancel() }
      for task in tasks {
        await expectError(.cancelled, of: try await task.value)
      }
      for _ in tasks { gate.signal() }
    }
    #expect(began.values.count < 40)
  }

  @Test(.rule(51)) func `A lookup that is cancelled says so, whether it had begun or not`() async throws {
    let log = Log<UVError.Code?>()
    try await withLoop { loop in
      for round in 0..<100 {
        let pending = loop.dns.resolve("localhost", port: 1) { log.append($0.error?.code) }
        for _ in 0..<round % 3 { try await loop.sleep(for: .zero).value }
        pending.cancel()
        while log.values.count == round { try await loop.sleep(for: .zero).value }
      }
    }
    #expect(log.values.count == 100)
    #expect(log.values.allSatisfy { $0 == nil || $0 == .cancelled })
    #expect(log.values.contains(.cancelled))
  }

  @Test(.rule(52)) func `Opens that are cancelled at any moment lose no descriptor`() async throws {
    let log = Log<UVError.Code?>()
    try await withLoop { loop in
      var random = SystemRandomNumberGenerator()
      for round in 0..<1000 {
        let pending = loop.files.open("/etc/passwd") { log.append($0.error?.code) }
        for _ in 0..<Int.random(in: 0...3, using: &random) { try await loop.sleep(for: .zero).value }
        pending.cancel()
        while log.values.count == round { try await loop.sleep(for: .zero).value }
      }
    }
    #expect(log.values.count == 1000)
    #expect(log.values.allSatisfy { $0 == nil || $0 == .cancelled })
  }

  @Test(.rule(52)) func `A temporary file or directory whose name nobody got is removed`() async throws {
    try await withLoopAndDirectory { loop, directory in
      for round in 0..<200 {
        let file = loop.files.mkstemp("\(directory)/fileXXXXXX") { _ in }
        let folder = loop.files.mkdtemp("\(directory)/folderXXXXXX") { _ in }
        // At once, so that nobody gets a name; some have been picked up by the pool by then.
        if round % 2 == 0 { for _ in 0..<1000 where round % 4 == 0 { _ = loop.clock.now } }
        file.cancel()
        folder.cancel()
        try await loop.sleep(for: .zero).value
      }
      try await loop.until { loop.statistics.requests == 0 }
      #expect(try await loop.files.scandir(directory).value.isEmpty)
    }
  }

  @Test(.rule(53)) func `A loop that goes waits for work that has begun`() async throws {
    let log = Log<String>()
    try await withThread {
      let loop = try EventLoop()
      let gate = DispatchSemaphore(value: 0)
      loop.runCallbacks { loop in
        loop.work {
          log.append("began")
          gate.wait()
          log.append("ended")
        } _: { _ in
          log.append("called")
        }
        loop.work {
          while log.values.isEmpty { sched_yield() }
        } _: { _ in
          loop.stop()
        }
      }
      Thread {
        // By then the loop is being shut down, or about to be; either way it has to wait.
        log.append("opened")
        gate.signal()
      }.start()
      loop.shutdown()
      #expect(loop.statistics.isIdle)
      log.append("shut down")
    }
    #expect(log.values.last == "shut down")
    #expect(log.values.contains("ended"))
    #expect(log.values.filter { $0 == "called" }.count == 1)
  }

  @Test(.rule(54)) func `A file is closed after what is under way on it`() async throws {
    try await withLoopAndDirectory { loop, directory in
      let file = try await loop.files.open("\(directory)/f", .readWrite, options: [.create]).value
      let log = Log<String>()
      for index in 0..<10 {
        file.write(Bytes(repeating: 1, count: 1000), at: Int64(index) * 1000) { _ in log.append("write") }
      }
      file.close { _ in log.append("closed") }
      file.write("late", at: 0) { log.append("late \($0.error?.name ?? "ok")") }
      try await file.close().value
      #expect(log.values.filter { $0 == "write" }.count == 10)
      #expect(log.values.last == "closed")
      #expect(log.values.contains("late EBADF"))
    }
  }
}
